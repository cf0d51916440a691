package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.HexFormat;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Where records of TLS end in what a client sends. */
class RecordWatchTest {
  /** One of 259 bytes, an empty one, and one of two bytes. */
  private static final byte[] RECORDS =
      HexFormat.of().parseHex("1703030103" + "ff".repeat(0x103) + "1603030000" + "1503030002ffff");

  private static final Set<Integer> ENDS = Set.of(0, 5 + 0x103, RECORDS.length - 7, RECORDS.length);

  private final RecordWatch watch = new RecordWatch();
  private final EmbeddedChannel channel = new EmbeddedChannel(watch);

  private void send(int from, int to) {
    // The head room is none of what was sent.
    ByteBuf part = Unpooled.buffer().writeZero(3).skipBytes(3);
    channel.writeInbound(part.writeBytes(RECORDS, from, to - from));
    ByteBuf passed = channel.readInbound();
    assertThat(passed.readableBytes()).isEqualTo(to - from);
    passed.release();
  }

  @Test
  void recordsEndWhereTheirHeadsSayInHoweverManyParts() {
    for (int first = 0; first <= RECORDS.length; first++) {
      send(0, first);
      assertThat(watch.isWithinRecord()).as("after %d", first).isEqualTo(!ENDS.contains(first));
      send(first, RECORDS.length);
      assertThat(watch.isWithinRecord()).as("%d and the rest", first).isFalse();
    }
  }

  @Test
  void eachByteMayComeAlone() {
    for (int at = 0; at < RECORDS.length; at++) {
      send(at, at + 1);
      assertThat(watch.isWithinRecord()).as("at %d", at).isEqualTo(!ENDS.contains(at + 1));
    }
  }
}
