// hsl
