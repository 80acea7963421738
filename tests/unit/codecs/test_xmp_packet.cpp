// XMP as text: packets that can be kept, the reset of the orientation, and the reference to the extended packet.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "codecs/metadata/xmp.hpp"
#include "support/file_bytes.hpp"

namespace gpuimg::test_xmp_packet {
using namespace codecs;

namespace {

using namespace test;

std::string text_of(const FileBytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

constexpr const char* kGuid = "0123456789ABCDEF0123456789ABCDEF";

/// The packet after the reset; "cannot" if the orientation cannot be reset.
std::string reset(const std::string& packet) {
  FileBytes bytes = bytes_of(packet);
  return reset_xmp_orientation(bytes) ? text_of(bytes) : "cannot";
}

TEST(XmpPacket, IsRecognizedOnlyAsMarkupInUtf8) {
  using namespace std::string_literals;
  for (const std::string& sound : {"<x/>"s, " \r\n\t<?xpacket?>"s, "\xEF\xBB\xBF<x>\xC3\xBC</x>"s}) {
    EXPECT_TRUE(is_xmp(bytes_of(sound))) << sound;
  }
  for (const std::string& broken : {""s, "   "s, "x<y/>"s, "<x\0/>"s, "<x>\xFF</x>"s, "<x>\xC3"s}) {
    EXPECT_FALSE(is_xmp(bytes_of(broken))) << broken;
  }
  FileBytes largest(kMaxXmpBytes, std::byte{'<'});
  EXPECT_TRUE(is_xmp(largest));
  largest.push_back(std::byte{'<'});
  EXPECT_FALSE(is_xmp(largest));
}

TEST(XmpPacket, OrientationIsResetInPlace) {
  EXPECT_EQ(reset("<a tiff:Orientation=\"6\" b='2'/>"), "<a tiff:Orientation=\"1\" b='2'/>");
  EXPECT_EQ(reset("<a\n tiff:Orientation = ' 8 '/>"), "<a\n tiff:Orientation = ' 1 '/>");
  EXPECT_EQ(reset("<tiff:Orientation>3</tiff:Orientation>"), "<tiff:Orientation>1</tiff:Orientation>");
  EXPECT_EQ(reset("<tiff:Orientation >\n3 </tiff:Orientation >"), "<tiff:Orientation >\n1 </tiff:Orientation >");
  EXPECT_EQ(reset("<a tiff:Orientation='5'/><b tiff:Orientation='7'/>"),
            "<a tiff:Orientation='1'/><b tiff:Orientation='1'/>");
}

TEST(XmpPacket, OtherNamesAndTextsAreNotOrientation) {
  for (const char* packet :
       {"", "<a/>", "<a x:Orientation='6'/>", "<a tiff:OrientationOf='6'/>", "<a xtiff:Orientation='6'/>",
        "<rdf:li>/tiff:Orientation</rdf:li>", "<a xmlns:tiff=\"http://ns.adobe.com/tiff/1.0/\" tiff:Make='6'/>"}) {
    EXPECT_EQ(reset(packet), packet);
  }
}

TEST(XmpPacket, OrientationInAnotherNotationCannotBeReset) {
  for (const char* packet :
       {"<a tiff:Orientation='0'/>", "<a tiff:Orientation='9'/>", "<a tiff:Orientation=''/>",
        "<a tiff:Orientation='06'/>", "<a tiff:Orientation='&#54;'/>", "<a tiff:Orientation='6",
        "<a tiff:Orientation=6/>", "<a tiff:Orientation />", "<tiff:Orientation/>", "<tiff:Orientation a='b'>6</x>",
        "<tiff:Orientation><b>6</b></tiff:Orientation>", "<tiff:Orientation>6</tiff:Other>", "<tiff:Orientation>6",
        "<tiff:Orientation>6</tiff:Orientation", "<a xmlns:t='http://ns.adobe.com/tiff/1.0/' t:Orientation='6'/>",
        "<a xmlns = 'http://ns.adobe.com/tiff/1.0/'><Orientation>6</Orientation></a>",
        "http://ns.adobe.com/tiff/1.0/"}) {
    EXPECT_EQ(reset(packet), "cannot") << packet;
  }
}

TEST(XmpPacket, ExtensionIsNamedAndBlanked) {
  const std::string guid = kGuid;
  for (const std::string& property :
       {"xmpNote:HasExtendedXMP=\"" + guid + '"', "<xmpNote:HasExtendedXMP>" + guid + "</xmpNote:HasExtendedXMP>"}) {
    FileBytes packet = bytes_of("<a " + property + " b='2'/>");
    EXPECT_EQ(xmp_extension_guid(packet), guid);
    blank_xmp_extension(packet);
    EXPECT_EQ(text_of(packet), "<a " + std::string(property.size(), ' ') + " b='2'/>");
    EXPECT_EQ(xmp_extension_guid(packet), "");
  }
  EXPECT_EQ(xmp_extension_guid(bytes_of("<a xmpNote:HasExtendedXMP='123'/>")), "");
  EXPECT_EQ(xmp_extension_guid(bytes_of("<a xmpNote:HasExtendedXMP=")), "");
  EXPECT_EQ(xmp_extension_guid({}), "");
}

/// The packet after `change`, with each run of spaces reduced to one; "cannot" if the packet cannot be changed.
template <class Change>
std::string squeezed(const std::string& packet, Change change) {
  FileBytes bytes = bytes_of(packet);
  if (!change(bytes)) {
    return "cannot";
  }
  EXPECT_EQ(bytes.size(), packet.size());
  std::string text;
  for (const char c : text_of(bytes)) {
    text += c == ' ' && text.ends_with(' ') ? "" : std::string(1, c);
  }
  return text;
}

TEST(XmpPacket, ReferencesToOtherPartsAreBlanked) {
  XmpParts parts;
  const auto without_parts = [&](const std::string& packet) {
    return squeezed(packet, [&](FileBytes& bytes) {
      const std::optional<XmpParts> found = blank_xmp_parts(bytes);
      parts = found.value_or(XmpParts{});
      return found.has_value();
    });
  };
  const std::string camera = "xmlns:GCamera=\"http://ns.google.com/photos/1.0/camera/\"";
  EXPECT_EQ(without_parts("<a " + camera + " GCamera:MotionPhoto='1' GCamera:MicroVideoOffset=\"5000\" dc:title='t'/>"),
            "<a dc:title='t'/>");
  EXPECT_TRUE(parts.motion_photo && !parts.gain_map && !parts.directory);
  EXPECT_EQ(without_parts("<a " + camera + " GCamera:hdrp='1'>\n<GCamera:MotionPhoto>1</GCamera:MotionPhoto></a>"),
            "<a " + camera + " GCamera:hdrp='1'>\n </a>");
  const std::string map = "xmlns:h='http://ns.adobe.com/hdr-gain-map/1.0/'";
  EXPECT_EQ(without_parts("<a " + map +
                          " h:Version='1.0'><h:GainMapMax><rdf:Seq><rdf:li>1</rdf:li></rdf:Seq>"
                          "</h:GainMapMax><b/></a>"),
            "<a > <b/></a>");
  EXPECT_TRUE(parts.gain_map && !parts.motion_photo);
  const std::string container =
      "xmlns:C='http://ns.google.com/photos/1.0/container/' xmlns:I='http://ns.google.com/photos/1.0/container/item/'";
  const auto directory = [&](const std::string& semantic) {
    return "<a " + container + "><C:Directory><rdf:Seq><C:Item I:Semantic='" + semantic +
           "'/></rdf:Seq></C:Directory></a>";
  };
  EXPECT_EQ(without_parts(directory("MotionPhoto")), "<a > </a>");
  EXPECT_TRUE(parts.motion_photo);
  EXPECT_EQ(without_parts(directory("GainMap")), "<a > </a>");
  EXPECT_TRUE(parts.gain_map);
  EXPECT_EQ(without_parts(directory("Depth")), "<a > </a>");
  EXPECT_TRUE(parts.directory && !parts.gain_map);
  for (const char* other :
       {"", "<a/>", "<a x:Directory='1'/>", "<a>GCamera:MotionPhoto </a>", "<a hdrgm:Version='1'/>"}) {
    EXPECT_EQ(without_parts(other), other);
    EXPECT_FALSE(parts.any());
  }
  EXPECT_EQ(without_parts("<a><GCamera:MotionPhoto>1</a>"), "cannot");
}

TEST(XmpPacket, PositionsAreBlanked) {
  const auto without = [](const std::string& packet) {
    return squeezed(packet, [](FileBytes& bytes) { return blank_xmp_positions(bytes).has_value(); });
  };
  EXPECT_EQ(without("<a exif:GPSLatitude='47,30N' exif:FNumber='2' drone:GpsLongitude=\"8\"/>"),
            "<a exif:FNumber='2' />");
  EXPECT_EQ(without("<a><exif:GPSAltitude a='>'>1</exif:GPSAltitude><exif:GPSStatus/>GPS</a>"), "<a> GPS</a>");
  EXPECT_EQ(without("<a GPS='1' x:gps='2'/>"), "<a GPS='1' x:gps='2'/>");
  EXPECT_EQ(without("<a><exif:GPSAltitude>1</a>"), "cannot");
}

/// An algorithm with quadratic time would take hours here.
TEST(XmpPacket, HostilePacketsTakeLinearTime) {
  for (const std::string part :
       {"<tiff:Orientation>", " tiff:Orientation='", " tiff:Orientation='6' ", "<xmpNote:HasExtendedXMP>",
        " xmpNote:HasExtendedXMP='", "http://ns.adobe.com/tiff/1.0/", " x:GPSStatus='", "<x:GPSStatus>",
        " x:GPSStatus='1'", "<x:GPSStatus/>", " x:MotionPhoto=\"",
        " xmlns:h='http://ns.adobe.com/hdr-gain-map/1.0/' h:a='1'", " xmlns:h='"}) {
    std::string text = "<";
    while (text.size() + part.size() < kMaxXmpBytes) {
      text += part;
    }
    FileBytes packet = bytes_of(text);
    (void)reset_xmp_orientation(packet);
    (void)xmp_extension_guid(packet);
    blank_xmp_extension(packet);
    (void)blank_xmp_parts(packet);
    packet = bytes_of(text);
    (void)blank_xmp_positions(packet);
  }
}

}  // namespace
}  // namespace gpuimg::test_xmp_packet
