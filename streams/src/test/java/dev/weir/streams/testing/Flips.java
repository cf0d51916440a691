package dev.weir.streams.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.streams.layout.DamagedObjectException;
import java.io.IOException;
import java.util.Arrays;

/** Objects with one byte changed. */
public final class Flips {
  private Flips() {}

  /** Reads an object. */
  public interface Reader {
    /** With any bytes. */
    void read(byte[] object) throws IOException;
  }

  /** A copy with another byte at an index. */
  public static byte[] flip(byte[] object, int index) {
    byte[] copy = object.clone();
    copy[index] ^= 0x10;
    return copy;
  }

  /** Every flipped byte and every shorter object is noticed, and the error names the object. */
  public static void assertAllNoticed(String key, byte[] object, Reader reader) {
    assertThat(object).isNotEmpty();
    for (int i = 0; i < object.length; i++) {
      byte[] flipped = flip(object, i);
      assertThatThrownBy(() -> reader.read(flipped))
          .as("byte %d", i)
          .isInstanceOfSatisfying(
              DamagedObjectException.class, damage -> assertThat(damage.key()).isEqualTo(key));
      byte[] shorter = Arrays.copyOf(object, i);
      assertThatThrownBy(() -> reader.read(shorter))
          .as("%d bytes", i)
          .isInstanceOf(DamagedObjectException.class);
    }
  }
}
