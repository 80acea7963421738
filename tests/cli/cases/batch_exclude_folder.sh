# A folder that matches --exclude is not searched.
mkdir -p in/keep in/lost+found in/deep/lost+found
for folder in keep lost+found deep/lost+found deep; do make_image png in/$folder/a.png 9x9; done
gpuimg equalize --dry-run -r --exclude 'lost+found' in out/
gpuimg equalize --dry-run -r --exclude 'deep/lost+found' in out/
[ "$(id -u)" -eq 0 ] && exit 0
chmod 0 in/lost+found
gpuimg equalize --quiet -r --exclude 'lost+found' in out/ || echo failed
chmod 755 in/lost+found
