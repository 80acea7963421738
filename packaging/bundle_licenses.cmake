# Copies the licenses of the bundled libraries, and of the code compiled in, from the packages they came from.
# Set by CMakeLists.txt: bundled_folder, library_architecture, compiled_in, license_folder.
find_program(dpkg_query dpkg-query)
if(NOT dpkg_query)
  message(FATAL_ERROR "the tarball takes libraries and licenses from Debian's packages; dpkg-query was not found")
endif()

set(packages ${compiled_in})
file(GLOB libraries $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${bundled_folder}/*.so*)
foreach(library IN LISTS libraries)
  if(NOT IS_SYMLINK ${library})
    get_filename_component(name ${library} NAME)
    execute_process(COMMAND ${dpkg_query} -S */${library_architecture}/${name}
      OUTPUT_VARIABLE owner COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCH "^[^:,]+" package "${owner}")
    list(APPEND packages ${package})
  endif()
endforeach()
list(REMOVE_DUPLICATES packages)

# Texts refer to /usr/share/common-licenses, which other distributions lack.
foreach(package IN LISTS packages)
  set(copyright /usr/share/doc/${package}/copyright)
  file(INSTALL ${copyright} DESTINATION ${CMAKE_INSTALL_PREFIX}/${license_folder} RENAME ${package})
  file(READ ${copyright} text)
  string(REGEX MATCHALL "/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]" referred "${text}")
  foreach(license IN LISTS referred)
    get_filename_component(real ${license} REALPATH)
    get_filename_component(name ${license} NAME)
    file(INSTALL ${real} DESTINATION ${CMAKE_INSTALL_PREFIX}/${license_folder}/common-licenses RENAME ${name})
  endforeach()
endforeach()
