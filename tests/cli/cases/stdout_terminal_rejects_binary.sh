make_image png in.png 9x7
on_terminal 80 gpuimg integral in.png -
on_terminal 80 gpuimg hsl in.png -
on_terminal 80 gpuimg equalize in.png -
