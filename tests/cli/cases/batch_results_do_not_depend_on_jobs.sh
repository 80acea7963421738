# One worker, four workers and a resumed run give the same bytes and the same order of results.
mkdir in
for i in 1 2 3 4 5 6 7 8; do make_image png in/$i.png $((i * 17))x$((200 - 13 * i)) rgb 8 $i; done
make_image cut in/3.png in/0.png 200
gpuimg equalize --jobs 1 --manifest 1.jsonl in one/ 2>/dev/null
gpuimg equalize --jobs 4 --manifest 4.jsonl in four/ 2>/dev/null
ended() { grep -v '"begun"' $1 | grep -o '"output": "[^"]*", "bytes": [0-9]*\|"status": "[a-z]*"'; }
diff -r one four && ended 1.jsonl | sed s,one/,four/, >1.txt
ended 4.jsonl | cmp - 1.txt && wc -l <1.txt
