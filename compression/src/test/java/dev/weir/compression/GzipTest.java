package dev.weir.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.compression.codec.CorruptInputException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

class GzipTest extends StreamContract {
  private static final int FHCRC = 2;
  private static final int FEXTRA = 4;
  private static final int FNAME = 8;
  private static final int FCOMMENT = 16;

  @Override
  ContentCoding coding() {
    return ContentCoding.GZIP;
  }

  @Override
  byte[] reference(byte[] stream) throws IOException {
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(stream))) {
      return in.readAllBytes();
    }
  }

  @Test
  void membersFollowOneAnotherWithWhateverTheirHeadersHave() {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (int flags = 0; flags < 32; flags++) {
      byte[] part = Texts.json(100 + flags, flags);
      byte[] member = encode(part, 200, 1000);
      member[3] = (byte) flags;
      all.write(member, 0, 10);
      if ((flags & FEXTRA) != 0) {
        all.writeBytes(new byte[] {3, 0, 1, 2, 3});
      }
      if ((flags & FNAME) != 0) {
        all.writeBytes(new byte[] {'n', 0});
      }
      if ((flags & FCOMMENT) != 0) {
        all.writeBytes(new byte[] {0});
      }
      if ((flags & FHCRC) != 0) {
        all.writeBytes(new byte[] {9, 9});
      }
      all.write(member, 10, member.length - 10);
      content.writeBytes(part);
    }
    for (int piece : new int[] {1, 13, all.size()}) {
      assertThat(decode(all.toByteArray(), piece, 50)).isEqualTo(content.toByteArray());
    }
  }

  @Test
  void aWrongChecksumOrLengthIsFound() {
    byte[] member = encode(Texts.json(500, 1), 500, 1000);
    for (int fromEnd = 1; fromEnd <= 8; fromEnd++) {
      byte[] damaged = member.clone();
      damaged[member.length - fromEnd]++;
      assertThatThrownBy(() -> decode(damaged, 100, 1000))
          .isInstanceOf(CorruptInputException.class)
          .hasMessageContaining(fromEnd <= 4 ? "length" : "checksum");
    }
  }

  @Test
  void reservedFlagsAreRefused() {
    byte[] member = encode(Texts.json(500, 1), 500, 1000);
    member[3] = 0x20;
    assertThatThrownBy(() -> decode(member, 100, 1000)).isInstanceOf(CorruptInputException.class);
  }
}
