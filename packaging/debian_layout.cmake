# Moves the installed files to the paths that Debian's policy requires. CPack runs this before it packs a .deb.
set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
set(documents ${share}/doc/gpuimg)

file(MAKE_DIRECTORY ${share}/zsh)
file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)

file(READ ${documents}/LICENSE copyright)
file(REMOVE ${documents}/LICENSE)
foreach(package IN LISTS CPACK_GPUIMG_COMPILED_IN)
  file(READ /usr/share/doc/${package}/copyright license)
  string(APPEND copyright "\n\nThe executable contains code of ${package}:\n\n${license}")
endforeach()
file(WRITE ${documents}/copyright "${copyright}")

file(RENAME ${documents}/CHANGELOG.md ${documents}/changelog)
cmake_host_system_information(RESULT codename QUERY DISTRIB_VERSION_CODENAME)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${documents}/changelog.Debian
  "gpuimg (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) ${codename}; urgency=medium\n\n"
  "  * Built from gpuimg ${CPACK_PACKAGE_VERSION}, whose changes are listed in changelog.gz.\n\n"
  " -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${date}\n")

file(GLOB pages ${share}/man/man1/*.1)
execute_process(COMMAND gzip -9n ${pages} ${documents}/changelog ${documents}/changelog.Debian
  COMMAND_ERROR_IS_FATAL ANY)
