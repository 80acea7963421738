# Hidden colors of transparent pixels do not affect means, thresholds and denoised pixels; --transparent count includes
# them.
pam() { printf 'P7\nWIDTH %s\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n' $1; }
(pam 3; printf '\377\377\012\0\377\377') >white.pam   # a hidden 10 between white pixels
(pam 4; printf '\012\377\074\377\310\0\310\0') >dark.pam   # 10 and 60, and hidden 200s
bytes() { tail -c $1 $2 | od -An -v -tu1; }
gpuimg integral --mean 3 white.pam mean.pam && bytes 6 mean.pam
gpuimg integral --mean 3 --transparent count white.pam all.pam && bytes 6 all.pam
gpuimg integral --variance 3 white.pam variance.npy && bytes 12 variance.npy
gpuimg denoise --filter-strength 1000 --patch 1 --search 3 white.pam clean.pam && bytes 6 clean.pam
gpuimg denoise --filter-strength 1000 --patch 1 --search 3 --transparent count white.pam mixed.pam && bytes 6 mixed.pam
echo "- thresholds"
gpuimg threshold -v dark.pam dark.bmp 2>&1 | grep 'alpha\|threshold is'
gpuimg threshold --transparent count --depth 8 dark.pam count.pnm && bytes 4 count.pnm
gpuimg threshold --channel a --depth 8 dark.pam alpha.pnm && bytes 4 alpha.pnm
gpuimg threshold -q --method bradley --window 3 --depth 8 dark.pam bradley.pnm && bytes 4 bradley.pnm
echo "- hist"
gpuimg hist --channel a --bins 2 dark.pam -
gpuimg hist --channel a --bins 2 --transparent skip dark.pam -
expect 2 gpuimg integral --transparent skip dark.pam table.npy
expect 2 gpuimg integral --mean 3 --transparent no dark.pam x.pam
