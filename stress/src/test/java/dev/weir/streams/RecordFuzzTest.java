package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.stress.Mutations;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/**
 * The input is the bodies of frames, each behind its length in a byte, and they get the right
 * checksums: what a defect or another version might have written. Records that can be read can be
 * written again; a node does not start on the others, and says so.
 */
class RecordFuzzTest {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  @FuzzTest
  void fuzz(byte[] input) throws IOException {
    MemoryDisk disk = new MemoryDisk();
    try (Journal journal =
        Journal.create(
            disk,
            RecoveredMemory.LAYOUT,
            /* sequence= */ 1,
            RecoveredMemory.EPOCH,
            /* firstPosition= */ 1,
            ByteBuffer.allocate(input.length * 9 + 1024))) {
      for (int at = 0; at < input.length; ) {
        int end = Math.min(input.length, at + 1 + (input[at] & 0xff));
        byte[] body = Arrays.copyOfRange(input, at + 1, end);
        checkMutation(body);
        journal.add(ByteBuffer.wrap(body), NOTHING);
        at = end;
      }
      journal.commit();
    }
    long bytes = disk.get(RecoveredMemory.LAYOUT.journal(1)).length;
    try {
      assertThat(RecoveredMemory.journalBytes(disk)).isEqualTo(bytes);
    } catch (IOException e) {
      assertThat(e).message().isNotEmpty();
    }
  }

  private static void checkMutation(byte[] body) {
    Mutation mutation;
    try {
      mutation = RecordCodec.read(new RecordReader(ByteBuffer.wrap(body)));
    } catch (BufferUnderflowException | IllegalStateException e) {
      return;
    }
    RecordWriter out = new RecordWriter();
    RecordCodec.write(mutation, out);
    assertThat(RecordCodec.read(new RecordReader(out.contents()))).isEqualTo(mutation);
  }

  @Test
  void changedSeeds() throws Exception {
    Mutations.run(getClass(), this::fuzz);
  }
}
