# Sets the time of all files of a package to SOURCE_DATE_EPOCH, if that is set, so that the same commit makes the same
# bytes. CPack runs this before it packs.
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND find ${CPACK_TEMPORARY_INSTALL_DIRECTORY} -exec touch -h -d @$ENV{SOURCE_DATE_EPOCH} {} +
    COMMAND_ERROR_IS_FATAL ANY)
endif()
