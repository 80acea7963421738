make_image png in.png 4x3 gray 16
expect 2 gpuimg integral --square --type u32 in.png out.npy
gpuimg integral --square --type u32 --allow-wrap in.png out.npy && ls && exit 2
