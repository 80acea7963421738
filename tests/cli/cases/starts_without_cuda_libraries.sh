# CUDA's runtime is part of the executable, and loads the driver where there is one: no library of theirs is asked for at
# the start.
command -v readelf >/dev/null || { echo 'readelf is not installed'; exit 77; }
needed=$(readelf -d "$(command -v gpuimg)" | grep NEEDED)
[[ $needed == *libtbb* ]] || echo "what it needs cannot be read: $needed"
grep -i -e cuda -e nvidia -e nvrtc <<<"$needed"
exit 0
