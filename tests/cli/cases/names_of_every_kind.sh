make_image png in.png 9x9
names=('with space.png' $'new\nline.png' '-v.png' '--force.png' $'\xff\xfe.png' $'\e[31mred.png' 'naïve ☕.png' '*.png' '$(x);&.png'
  "$(printf 'n%.0s' {1..251}).png")
for name in "${names[@]}"; do
  gpuimg equalize -- in.png "$name" && gpuimg hist --bins 2 -- "$name" >/dev/null && rm -- "$name" || echo "failed: ${name@Q}"
done
ls
