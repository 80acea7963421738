# A recipe for Spack 1.0 or newer; docs/packaging.md, "Spack", says how to use it.
from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Gpuimg(CMakePackage, CudaPackage):
    """Histograms, equalization, resizing and other operations on images, with the same bytes from a CPU and a GPU."""

    homepage = "https://example.org/gpuimg"
    git = "https://example.org/gpuimg.git"

    license("MIT", checked_by="gpuimg authors")

    version("main", branch="main")

    variant("tiff", default=True, description="Read and write TIFF files")
    variant("webp", default=True, description="Read and write WebP files")
    variant("archive", default=True, description="Process tar archives")
    variant("opencl", default=True, description="Build the OpenCL backend, which opens the loader at run time")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cli11@2.1:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("fmt@9:")
    depends_on("highway@1:")
    depends_on("intel-tbb@2021.8:")
    depends_on("isa-l@2.30:")
    depends_on("libjpeg-turbo@2.1:")
    depends_on("libpng@1.6:")
    depends_on("libtiff@4.5:", when="+tiff")
    depends_on("libwebp", when="+webp")
    depends_on("libarchive", when="+archive")  # opened at run time: found by the RPATH that Spack adds
    depends_on("opencl-c-headers", when="+opencl", type="build")
    depends_on("cuda@13:", when="+cuda")

    # Spack has no package for these headers. third_party/CMakeLists.txt has the same commit.
    resource(
        name="stb",
        git="https://github.com/nothings/stb.git",
        commit="8b5f1f37b5b75829fc72d38e7b5d4bcbf8a26d55",
        destination="deps",
        placement="stb",
    )

    conflicts("%gcc@:11", msg="C++20 needs GCC 12 or newer")
    conflicts("cuda_arch=none", when="+cuda", msg="name the architectures of your GPUs, such as cuda_arch=80,90")

    def cmake_args(self):
        args = [
            self.define("GPUIMG_TESTS", False),
            self.define("GPUIMG_PYTHON", "OFF"),
            self.define("FETCHCONTENT_FULLY_DISCONNECTED", True),
            self.define("STB_INCLUDE_DIR", join_path(self.stage.source_path, "deps", "stb")),
            # HEIF needs dav1d, for which Spack has no package.
            self.define("GPUIMG_HEIF", "OFF"),
            self.define_from_variant("GPUIMG_CUDA", "cuda"),
            self.define_from_variant("GPUIMG_OPENCL", "opencl"),
            self.define_from_variant("GPUIMG_TIFF", "tiff"),
            self.define_from_variant("GPUIMG_WEBP", "webp"),
            self.define_from_variant("GPUIMG_ARCHIVE", "archive"),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        Executable(self.prefix.bin.gpuimg)("doctor", "--backend", "cpu")
