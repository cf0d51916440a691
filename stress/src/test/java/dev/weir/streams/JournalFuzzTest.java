package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.stress.Mutations;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/**
 * The input is what follows the header of a WAL file. Recovery takes its whole frames, no less and
 * no more, or says that it is damaged.
 */
class JournalFuzzTest {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  @FuzzTest
  void fuzz(byte[] input) throws IOException {
    MemoryDisk disk = new MemoryDisk();
    Path path = RecoveredMemory.LAYOUT.journal(1);
    Journal.create(
            disk,
            RecoveredMemory.LAYOUT,
            /* sequence= */ 1,
            RecoveredMemory.EPOCH,
            /* firstPosition= */ 1,
            ByteBuffer.allocate(1024))
        .close();
    byte[] header = disk.get(path);
    byte[] file = Arrays.copyOf(header, header.length + input.length);
    System.arraycopy(input, 0, file, header.length, input.length);
    disk.put(path, file);
    try {
      assertThat(RecoveredMemory.journalBytes(disk)).isEqualTo(wholeFramesBytes(file));
    } catch (DataDirectoryException e) {
      assertThat(e).message().isNotEmpty();
    }
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
