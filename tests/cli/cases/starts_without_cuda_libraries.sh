# CUDA's runtime is linked into the executable and loads the driver only if there is one, so gpuimg depends on no CUDA
# library at startup.
command -v readelf >/dev/null || { echo 'readelf is not installed'; exit 77; }
needed=$(readelf -d "$(command -v gpuimg)" | grep NEEDED)
[[ $needed == *libtbb* ]] || echo "the libraries that it needs cannot be listed: $needed"
grep -i -e cuda -e nvidia -e nvrtc <<<"$needed"
exit 0
