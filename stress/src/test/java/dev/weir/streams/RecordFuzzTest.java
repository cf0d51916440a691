package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.stress.Mutations;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The input is the bodies of frames, each behind its length in a byte, and they get the right
 * checksums: what a defect or another version might have written. Records that can be read can be
 * written again; a node does not start on the others, and says so.
 */
class RecordFuzzTest {
  private static final StoreLayout LAYOUT = new StoreLayout(Path.of("/data"));
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  @FuzzTest
  void fuzz(byte[] input) throws IOException {
    MemoryDisk disk = new MemoryDisk();
    try (Journal journal =
        Journal.create(disk, LAYOUT, 1, ByteBuffer.allocate(input.length * 9 + 1024))) {
      for (int at = 0; at < input.length; ) {
        int end = Math.min(input.length, at + 1 + (input[at] & 0xff));
        byte[] body = Arrays.copyOfRange(input, at + 1, end);
        checkMutation(body);
        checkStream(body);
        journal.add(ByteBuffer.wrap(body), NOTHING);
        at = end;
      }
      journal.commit();
    }
    long bytes = disk.get(LAYOUT.journal(1)).length;
    try {
      assertThat(Recovery.run(disk, LAYOUT, 0).journalBytes()).isEqualTo(bytes);
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

  private static void checkStream(byte[] body) {
    Map<String, ProducerState> producers = new HashMap<>();
    StreamState stream;
    try {
      stream = RecordCodec.readStream(new RecordReader(ByteBuffer.wrap(body)), producers);
    } catch (BufferUnderflowException | IllegalStateException e) {
      return;
    }
    RecordWriter out = new RecordWriter();
    RecordCodec.writeStream(stream, producers, out);
    Map<String, ProducerState> again = new HashMap<>();
    assertThat(RecordCodec.readStream(new RecordReader(out.contents()), again)).isEqualTo(stream);
    assertThat(again).isEqualTo(producers);
  }

  @Test
  void changedSeeds() throws Exception {
    Mutations.run(getClass(), this::fuzz);
  }
}
