# --strip=gps removes only positions. --strip names a removed color space.
hex() { printf '%s' "$1" | od -An -v -tx1 | tr -d ' \n'; }
holds() { LC_ALL=C grep -a -c "$2" "$1"; }
xmp='<x:xmpmeta><a exif:GPSLatitude="47,30N" dc:title="Harbor"/></x:xmpmeta>'
gps=4d4d002a000000080002010f0002000000050000002688250004000000010000002c00000000546573740000000100010002000000024e00000000000000
make_image png plain.png 9x8
make_image chunk plain.png named.png iTXt "$(hex XML:com.adobe.xmp)0000000000$(hex "$xmp")"
make_image chunk named.png in.png eXIf $gps
gpuimg equalize -q in.png all.png
gpuimg equalize -v --strip=gps in.png out.png 2>&1 | grep position
for file in all.png out.png; do echo "$file: $(holds $file Harbor) $(holds $file GPSLatitude) $(holds $file Test)"; done
gpuimg threshold -q --strip=gps in.png black.png && holds black.png GPSLatitude
gpuimg equalize --strip=places in.png no.png 2>&1
make_image profile plain.png wide.png 'RGB ' 'Display P3'
gpuimg equalize --strip wide.png stripped.png 2>&1
gpuimg equalize -f --strip plain.png stripped.png 2>&1
exit 0
