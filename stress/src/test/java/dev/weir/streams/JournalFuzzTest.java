package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.stress.Mutations;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * The input is a journal file. Recovery takes its whole frames, no less and no more, or says that
 * it is damaged.
 */
class JournalFuzzTest {
  private static final StoreLayout LAYOUT = new StoreLayout(Path.of("/data"));
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  @FuzzTest
  void fuzz(byte[] input) throws IOException {
    MemoryDisk disk = new MemoryDisk();
    disk.put(LAYOUT.journal(1), input);
    Recovery.Result found;
    try {
      found = Recovery.run(disk, LAYOUT, 0);
    } catch (DataDirectoryException e) {
      assertThat(e).message().isNotEmpty();
      return;
    }
    assertThat(found.journalSequence()).isEqualTo(1);
    assertThat(found.journalBytes()).isEqualTo(wholeFramesBytes(input));
  }

  private static long wholeFramesBytes(byte[] file) {
    ByteBuffer in = ByteBuffer.wrap(file);
    int end = 0;
    while (in.remaining() >= FrameLayout.HEADER_BYTES) {
      int bodyBytes = in.getInt();
      int checksum = in.getInt();
      if (bodyBytes < 0 || bodyBytes > in.remaining()) {
        return end;
      }
      ByteBuffer body = in.slice(in.position(), bodyBytes);
      if (FrameLayout.checksum(body, NOTHING) != checksum) {
        return end;
      }
      in.position(in.position() + bodyBytes);
      end = in.position();
    }
    return end;
  }

  @Test
  void changedSeeds() throws Exception {
    Mutations.run(getClass(), this::fuzz);
  }
}
