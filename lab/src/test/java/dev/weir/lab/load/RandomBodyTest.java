package dev.weir.lab.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class RandomBodyTest {

  @Test
  void theSlicesAreTheBodyWhateverTheirSize() {
    RandomBody body = new RandomBody(3, 2_500_000);
    for (int maximum : new int[] {4_096, 65_536, 10_000_000}) {
      CRC32C crc = new CRC32C();
      long at = 0;
      while (at < body.lengthBytes()) {
        ByteBuffer slice = body.slice(at, maximum);
        assertThat(slice.remaining()).isBetween(1, maximum);
        at += slice.remaining();
        crc.update(slice);
      }
      assertThat(at).isEqualTo(2_500_000);
      assertThat(crc.getValue()).isEqualTo(body.checksum());
    }
  }

  @Test
  void seedsDetermineTheBytes() {
    assertThat(new RandomBody(1, 1_000).checksum())
        .isEqualTo(new RandomBody(1, 1_000).checksum())
        .isNotEqualTo(new RandomBody(2, 1_000).checksum());
  }

  @Test
  void anotherLengthBeginsWithTheSameBytes() {
    RandomBody whole = new RandomBody(4, 1_500_000);
    RandomBody part = whole.withLength(1_000);
    assertThat(part.lengthBytes()).isEqualTo(1_000);
    assertThat(part.slice(0, 1_000)).isEqualTo(whole.slice(0, 1_000));
    assertThat(part.checksum()).isEqualTo(new RandomBody(4, 1_000).checksum());
  }
}
