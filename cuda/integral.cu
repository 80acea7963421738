// The integral operation on the device: which plane is summed, and into what. docs/operations.md, "Integral image".
#include "integral_kernel.cuh"
#include "level_plane.cuh"

namespace gpuimg::cuda {

SumTable integral(Workspace& workspace, const Picture& picture, const IntegralOptions& options) {
  if (picture.format().channels != 1) {
    IntegralOptions of_plane = options;
    of_plane.channel = Channel::red;
    const LevelSource source = source_of(options.channel, options.luma, picture.format(), 0);
    return integral(workspace, level_plane(workspace, picture, source), of_plane);
  }
  const Sample type = table_sample(picture.width(), picture.height(), picture.format(), options);
  const int width = table_width(picture.width(), options.layout);
  SumTable table = new_picture(workspace.device(), width, table_height(picture.height(), options.layout), {type, 1});
  TableJob job;
  job.pixels = pixels_of(picture);
  job.padded = options.layout == TableLayout::padded;
  job.table_pitch = width;
  job.table = pixels_of(table) + (job.padded ? (std::size_t(width) + 1) * sample_bytes(type) : 0);
  job.width = picture.width();
  job.height = picture.height();
  job.square = options.square;
  if (picture.format().sample == Sample::u8) {
    launch_integral<std::uint8_t>(workspace, job, type);
  } else {
    launch_integral<std::uint16_t>(workspace, job, type);
  }
  return table;
}

}  // namespace gpuimg::cuda
