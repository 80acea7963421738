# --resume replaces only outputs that its manifest names. If the manifest's name is wrong, nothing is replaced.
mkdir photos out
for i in 1 2 3; do make_image png photos/$i.png 9x9 rgb 8 $i; done
for name in 1.png 2.png sub; do echo "mine, $name" >out/$name; done
cksum out/* >before
expect 4 gpuimg equalize -r photos/ out/ --resume typo.jsonl
expect 4 gpuimg equalize -r photos/ out/ --resume typo.jsonl --manifest typo.jsonl
gpuimg equalize -q photos/ done/ --manifest run.jsonl
expect 4 gpuimg equalize -r photos/ out/ --resume run.jsonl --manifest run.jsonl
cksum out/* | cmp - before && ls
# The manifest of another folder names other files, even if the relative names are the same.
mkdir -p elsewhere && cp -r photos elsewhere && cp -r out elsewhere/done
(cd elsewhere && expect 4 gpuimg equalize photos/ done/ --resume ../run.jsonl --manifest ../run.jsonl)
cksum elsewhere/done/* | sed s,elsewhere/done,out, | cmp - before
# A recorded input that has changed is processed again, with the same options or with others.
make_image png photos/2.png 9x9 rgb 8 22
last() { "$@" 2>&1 | sed 's/ in [0-9.]* s.*//'; }
last gpuimg equalize photos/ done/ --resume run.jsonl --manifest run.jsonl
last gpuimg equalize photos/ ./done/ --color rgb --resume run.jsonl
gpuimg equalize --color rgb photos/2.png expected.png && cmp expected.png done/2.png
