gpuimg hist -q nothing.png
