# resize, crop, rotate and flip: sizes, depths and metadata of the outputs, for files, folders and pipes.
make_image png in.png 21x10 rgba 16
for size in 8x8 7x x3 50% 300x300; do gpuimg resize -q --size $size in.png in_$size.png; done
for fit in cover pad stretch; do gpuimg resize -q --size 30x30 --fit $fit in.png $fit.png; done
gpuimg resize -q --size 200% --enlarge --filter nearest in.png large.png
gpuimg resize -q --size 5x --box 1.5,2,10,8 in.png box.png
gpuimg crop -q --box 1,2,3,4 in.png crop.png && gpuimg crop -q --size 5x6 --gravity southeast in.png corner.png
gpuimg rotate -q 90 in.png right.png && gpuimg rotate -q 270 right.png back.png && gpuimg compare in.png back.png | head -1
gpuimg flip -q horizontal in.png flipped.png && gpuimg flip -q vertical flipped.png both.png
gpuimg rotate -q 180 in.png half.png && cmp both.png half.png
for file in *.png; do
  gpuimg info --json $file | grep -o '"\(width\|height\|color\|bit_depth\)": *[^,}]*' | tr -d '\n' | sed "s/^/$file: /"
  echo
done
gpuimg resize --size 6x - - <in.png | cmp - <(gpuimg resize --size 6x in.png -)
mkdir photos && cp in.png photos/a.png && gpuimg resize -q --size 4x --format jpg --background white --depth 8 photos/ small/
gpuimg rotate -q 90 photos/ turned/ && gpuimg flip -q vertical photos/ flat/ && gpuimg crop -q --size 3x3 photos/ bits/
ls small turned flat bits
gpuimg resize -q --size 6x9 --fit pad --pad-color red in.png padded.png
gpuimg resize -v --enlarge --fit stretch --size 5x5 in.png noted.png 2>&1 | grep enlarge
