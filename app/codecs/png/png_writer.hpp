// Pixels to PNG, by code of our own over ISA-L's deflate. PNG specification (ISO/IEC 15948).
#pragma once

#include <string>

#include "codecs/image_writer.hpp"
#include "gpuimg/image.hpp"
#include "io/bytes.hpp"

namespace gpuimg {

/// u8 or u16, 1 to 4 channels; not interlaced. Rows are cut into strips of about 256 KB, a size that follows from the
/// image alone; each row gets the filter that suits it, each strip is deflated on its own, in parallel, and the results
/// are joined in order: the bytes do not depend on `threads`, nor on the processor. Holds under 2 MB a thread.
///
/// png_level 0, 1 and 2 are StripDeflater's. Level 3 is level 2 on the smallest of six filterings of each strip: chosen
/// for each row, and each of the five filters throughout.
///
/// Throws Error{unsupported} for rows of more than 2³⁰ bytes, Error{usage} for a text entry that PNG does not admit
/// (keyword: 1 to 79 printable Latin-1 characters without doubled or outer spaces; text: no NUL), Error{out_of_memory}.
/// `sink` may be called on other threads, by one at a time.
void encode_png(ConstView pixels, const std::string& name, const WriteOptions& options, const ByteSink& sink);

}  // namespace gpuimg
