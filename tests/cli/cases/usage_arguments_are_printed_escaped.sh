hostile=$'\e]0;owned\a\e[31m'
expect 2 gpuimg "$hostile"
expect 2 gpuimg hist "--$hostile" in.png
expect 3 gpuimg hist in.png out.csv "$hostile"
expect 2 gpuimg hist --channel "$hostile" in.png
expect 2 gpuimg hist --backend "$hostile" in.png
expect 2 gpuimg hist --threads "$hostile" in.png
expect 2 gpuimg hist --bins "$hostile" in.png
expect 2 gpuimg hist --roi "$hostile" in.png
GPUIMG_THREADS=$hostile gpuimg hist in.png
