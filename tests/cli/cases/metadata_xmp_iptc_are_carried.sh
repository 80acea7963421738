# XMP and IPTC data are carried between PNG and JPEG. After a rotation the metadata are adjusted; metadata that a format
# cannot hold are named.
hex() { printf '%s' "$1" | od -An -v -tx1 | tr -d ' \n'; }
messages() { gpuimg equalize --backend cpu -v -f "$@" 2>&1 | grep -v -e '^gpuimg: backend' -e '^gpuimg: wrote' -e '^gpuimg: read'; }
holds() { LC_ALL=C grep -a -c "$2" "$1"; }
xmp='<x:xmpmeta><rdf:Description tiff:Orientation="6" dc:title="Harbor"/></x:xmpmeta>'
iptc='1c02190005616c706861'
make_image png plain.png 9x8
make_image chunk plain.png named.png iTXt "$(hex XML:com.adobe.xmp)0000000000$(hex "$xmp")"
make_image chunk named.png both.png tEXt "$(hex 'Raw profile type iptc')00$(printf '\niptc\n10\n%s\n' $iptc | od -An -v -tx1 | tr -d ' \n')"
make_image chunk both.png turned.png eXIf 49492a000800000001001201030001000000060000000000

gpuimg equalize -q both.png a.jpg && gpuimg equalize -q a.jpg b.jpg && gpuimg equalize -q b.jpg c.png
for file in a.jpg b.jpg c.png; do echo "$file: $(holds $file 'Orientation="6" dc:title="Harbor"') $(holds $file alpha) $(holds $file 1c02190005616c706861)"; done
echo upright
gpuimg equalize -q turned.png d.png && holds d.png 'Orientation="1" dc:title="Harbor"'
gpuimg equalize -q --no-auto-orient turned.png e.png && holds e.png 'Orientation="6" dc:title="Harbor"'
echo named
messages both.png out.bmp
messages --strip both.png f.jpg
holds f.jpg Harbor
make_image chunk both.png more.png tIME 07e40102030405
messages more.png out.jpg
make_image chunk plain.png damaged.png iTXt "$(hex XML:com.adobe.xmp)000100000012"
messages damaged.png out.png
exit 0
