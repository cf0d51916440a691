package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * A stream of whole records, each of a client and with a number.
 *
 * <pre>
 * record: length of the filler (8) | client (4) | number (8) | filler | CRC32C of all before (4)
 * </pre>
 */
record KillStream(Map<Integer, List<Long>> numbers) {
  private static final int HEADER_BYTES = 20;
  private static final int MOST_BYTES = 3_000;

  /** One record in so many does not fit a batch, and takes the way of large bodies. */
  private static final int LARGE = 25;

  private static final int LARGE_BYTES = 300_000;

  /** A record, which looks the same whenever it is made. */
  static byte[] record(int client, long number) {
    Random random = new Random(31 * number + client);
    int filler = random.nextInt(MOST_BYTES) + (number % LARGE == LARGE - 1 ? LARGE_BYTES : 0);
    ByteBuffer record = ByteBuffer.allocate(HEADER_BYTES + filler + Integer.BYTES);
    record.putLong(filler).putInt(client).putLong(number);
    byte[] bytes = new byte[filler];
    random.nextBytes(bytes);
    record.put(bytes);
    CRC32C crc = new CRC32C();
    crc.update(record.array(), 0, record.position());
    return record.putInt((int) crc.getValue()).array();
  }

  /** Reads to the end; every record has to be whole, and the one that its client sent. */
  static KillStream read(InputStream stream) throws IOException {
    Map<Integer, List<Long>> numbers = new TreeMap<>();
    try (InputStream in = stream) {
      for (byte[] header = in.readNBytes(HEADER_BYTES);
          header.length > 0;
          header = in.readNBytes(HEADER_BYTES)) {
        assertThat(header).hasSize(HEADER_BYTES);
        ByteBuffer fields = ByteBuffer.wrap(header);
        long filler = fields.getLong();
        int client = fields.getInt();
        long number = fields.getLong();
        byte[] expected = record(client, number);
        assertThat(filler)
            .as("length of record %d of client %d", number, client)
            .isEqualTo(expected.length - HEADER_BYTES - Integer.BYTES);
        byte[] rest = in.readNBytes(expected.length - HEADER_BYTES);
        assertThat(Arrays.equals(rest, 0, rest.length, expected, HEADER_BYTES, expected.length))
            .as("record %d of client %d", number, client)
            .isTrue();
        numbers.computeIfAbsent(client, first -> new ArrayList<>()).add(number);
      }
    }
    return new KillStream(numbers);
  }

  List<Long> numbersOf(int client) {
    return numbers.getOrDefault(client, List.of());
  }

  /** Who has written to it. */
  Set<Integer> clients() {
    return numbers.keySet();
  }
}
