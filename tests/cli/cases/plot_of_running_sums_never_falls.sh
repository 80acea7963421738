make_image png in.png 9x9
gpuimg hist --channel rgb --cumulative in.png plot.svg
# In SVG, y grows downward, so y decreases along a rising curve.
python3 -c "
import re
for path in re.findall(r'class=\"line c-(.) *\" d=\"M80 ([^\"]*)\"', open('plot.svg').read()):
    heights = [float(path[1].split('H')[0])] + [float(y) for y in re.findall(r'V([0-9.]+)', path[1])]
    rises = heights == sorted(heights, reverse=True)
    print(path[0], 'rises' if rises else 'falls', 'and ends', 'at the top' if heights[-1] == min(heights) else 'below')"
