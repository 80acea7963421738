// XMP as text: what can be carried, resetting the orientation, and the reference to the extension.
#include <gtest/gtest.h>

#include <string>

#include "codecs/metadata/xmp.hpp"
#include "support/file_bytes.hpp"

namespace gpuimg::test_xmp_packet {
using namespace codecs;

namespace {

using namespace test;

std::string text_of(const FileBytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

constexpr const char* kGuid = "0123456789ABCDEF0123456789ABCDEF";

/// The packet after the reset; "cannot" if it cannot be reset.
std::string reset(const std::string& packet) {
  FileBytes bytes = bytes_of(packet);
  return reset_xmp_orientation(bytes) ? text_of(bytes) : "cannot";
}

TEST(XmpPacket, IsMarkupInUtf8) {
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

TEST(XmpPacket, AnOrientationInAnotherFormCannotBeReset) {
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

/// Quadratic time would take hours here.
TEST(XmpPacket, HostilePacketsTakeLinearTime) {
  for (const std::string part :
       {"<tiff:Orientation>", " tiff:Orientation='", " tiff:Orientation='6' ", "<xmpNote:HasExtendedXMP>",
        " xmpNote:HasExtendedXMP='", "http://ns.adobe.com/tiff/1.0/"}) {
    std::string text = "<";
    while (text.size() + part.size() < kMaxXmpBytes) {
      text += part;
    }
    FileBytes packet = bytes_of(text);
    (void)reset_xmp_orientation(packet);
    (void)xmp_extension_guid(packet);
    blank_xmp_extension(packet);
  }
}

}  // namespace
}  // namespace gpuimg::test_xmp_packet
