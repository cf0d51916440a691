package dev.weir.lab.memory;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class SmapsTest {
  private static final String TEXT =
      """
      7f0000000000-7f0000100000 rw-p 00000000 00:00 0
      Size:               1024 kB
      Rss:                  12 kB
      Pss:                  12 kB
      VmFlags: rd wr mr mw me ac nr sd
      7f0000100000-7f0000200000 rw-p 00000000 00:00 0                  [anon: x]
      Size:               1024 kB
      Rss:                 512 kB
      7f0000200000-7f0000300000 rw-p 00000000 00:00 0
      Rss:                   4 kB
      """;

  @Test
  void sumsTheMappingsOfTheRange() {
    assertThat(rssBytes(0x7f0000000000L, 0x200000)).isEqualTo(524 * 1024);
    assertThat(rssBytes(0x7f0000100000L, 0x100000)).isEqualTo(512 * 1024);
    assertThat(rssBytes(0x7f0000100000L, 0x200000)).isEqualTo(516 * 1024);
    assertThat(rssBytes(0x6f0000000000L, 0x1000)).isZero();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void seesWhatThisProcessTouches() throws IOException {
    Smaps smaps = new Smaps();
    long bytes = 8 << 20;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(bytes, 4096).fill((byte) 1);
      AddressRange range = new AddressRange(memory.address(), bytes);
      assertThat(smaps.rssBytes(range)).isGreaterThanOrEqualTo(bytes);
    }
    assertThat(ProcessRss.anonymousBytes()).isPositive();
  }

  private static long rssBytes(long start, long length) {
    byte[] text = TEXT.getBytes(US_ASCII);
    return Smaps.rssBytes(text, text.length, new AddressRange(start, length));
  }
}
