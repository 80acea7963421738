# Writes the manual pages and the completion scripts under FOLDER/share. The executable GPUIMG prints these texts.
# usage: cmake -D GPUIMG=EXECUTABLE -D FOLDER=FOLDER -P write_texts.cmake
file(REMOVE_RECURSE ${FOLDER})

# write_text(FILE ARGUMENT…): writes the output of gpuimg with these arguments to FILE, and sets `text` to it.
function(write_text file)
  execute_process(COMMAND ${GPUIMG} ${ARGN} OUTPUT_VARIABLE text RESULT_VARIABLE failure)
  if(failure OR text STREQUAL "")
    message(FATAL_ERROR "gpuimg ${ARGN}: ${failure}")
  endif()
  file(WRITE ${FOLDER}/share/${file} "${text}")
  set(text "${text}" PARENT_SCOPE)
endfunction()

write_text(man/man1/gpuimg.1 help --man)
string(REGEX MATCHALL "\n\\.BR gpuimg[^\n]+" see_also "${text}")
if(NOT see_also)
  message(FATAL_ERROR "gpuimg.1 refers to no page of a subcommand")
endif()
foreach(line IN LISTS see_also)
  string(REGEX REPLACE ".*-([a-z]+) .*" "\\1" subcommand "${line}")
  write_text(man/man1/gpuimg-${subcommand}.1 help --man ${subcommand})
endforeach()
write_text(bash-completion/completions/gpuimg completion bash)
write_text(zsh/site-functions/_gpuimg completion zsh)
write_text(fish/vendor_completions.d/gpuimg.fish completion fish)
