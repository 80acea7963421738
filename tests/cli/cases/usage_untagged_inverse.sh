make_image png in.png 3x3 rgb 16
expect 2 gpuimg hsl --inverse in.png out.png
gpuimg hsl --inverse --encode u16 in.png out.png && ls && exit 2
