// Style sheet and color ramps of the SVG plot.
#include "report/svg_style.hpp"

namespace gpuimg {

std::string_view svg_style() {
  return R"(
text{font:12px system-ui,-apple-system,"Segoe UI","Liberation Sans",Helvetica,Arial,sans-serif;fill:#57606a}
.title{font-size:17px;font-weight:600;fill:#1f2328}
.page{fill:#ffffff}
.grid{stroke:#d8dee4;stroke-width:1;fill:none}
.axis{stroke:#8c959f;stroke-width:1;fill:none}
.plot{isolation:isolate}
.bars{fill-opacity:.45;stroke-width:1;stroke-linejoin:round;mix-blend-mode:multiply}
.line{stroke-width:1.5;stroke-linejoin:round}
.cut{stroke:none}
.c-luma,.c-l{fill:#6e7781;stroke:#424a53}
.c-r{fill:#fa4549;stroke:#cf222e}
.c-g{fill:#2da44e;stroke:#1a7f37}
.c-b{fill:#218bff;stroke:#0969da}
.c-a,.c-h,.c-s{fill:#a475f9;stroke:#8250df}
.i-1{fill:#0969da;stroke:#0969da}
.i-2{fill:#bc4c00;stroke:#bc4c00}
.i-3{fill:#1a7f37;stroke:#1a7f37}
.i-4{fill:#bf3989;stroke:#bf3989}
.i-5{fill:#6639ba;stroke:#6639ba}
.i-6{fill:#9a6700;stroke:#9a6700}
.i-7{fill:#1b7c83;stroke:#1b7c83}
.i-8{fill:#424a53;stroke:#424a53}
@media (prefers-color-scheme:dark){
text{fill:#9198a1}
.title{fill:#f0f6fc}
.page{fill:#0d1117}
.grid{stroke:#262c36}
.axis{stroke:#656c76}
.bars{mix-blend-mode:screen}
.c-luma,.c-l{fill:#8b949e;stroke:#c9d1d9}
.c-r{fill:#f85149;stroke:#ff7b72}
.c-g{fill:#2ea043;stroke:#56d364}
.c-b{fill:#388bfd;stroke:#79c0ff}
.c-a,.c-h,.c-s{fill:#a371f7;stroke:#d2a8ff}
.i-1{fill:#58a6ff;stroke:#58a6ff}
.i-2{fill:#f0883e;stroke:#f0883e}
.i-3{fill:#3fb950;stroke:#3fb950}
.i-4{fill:#f778ba;stroke:#f778ba}
.i-5{fill:#bc8cff;stroke:#bc8cff}
.i-6{fill:#e3b341;stroke:#e3b341}
.i-7{fill:#39c5cf;stroke:#39c5cf}
.i-8{fill:#c9d1d9;stroke:#c9d1d9}
}
.plot .line{fill:none}
)";
}

std::vector<std::string_view> ramp_colors(Channel channel) {
  switch (channel) {
    case Channel::red: return {"#000", "#f00"};
    case Channel::green: return {"#000", "#0f0"};
    case Channel::blue: return {"#000", "#00f"};
    case Channel::hue: return {"#f00", "#ff0", "#0f0", "#0ff", "#00f", "#f0f", "#f00"};
    case Channel::saturation: return {"#808080", "#f00"};
    case Channel::luma:
    case Channel::alpha:
    case Channel::lightness: break;
  }
  return {"#000", "#fff"};
}

}  // namespace gpuimg
