package dev.weir.benchmarks.streams.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Numbers are found wherever the pieces are cut. */
class NumberScanTest {
  @Test
  void numbersAreFoundWhereverPiecesAreCut() {
    String text = "HTTP 200\r\n12\r\ndata:@17@  \r\nid: 9 @x@ @123456789012345@ @";
    for (int cut = 0; cut <= text.length(); cut++) {
      List<Long> found = new ArrayList<>();
      NumberScan scan = new NumberScan(found::add);
      scan.scan(Unpooled.copiedBuffer(text.substring(0, cut), StandardCharsets.US_ASCII));
      scan.scan(Unpooled.copiedBuffer(text.substring(cut), StandardCharsets.US_ASCII));
      assertThat(found).containsExactly(17L, 123456789012345L);
    }
  }

  @Test
  void whatGoesOutIsFound() {
    List<Long> found = new ArrayList<>();
    String two = NumberScan.text(1) + NumberScan.text(Long.MAX_VALUE);
    new NumberScan(found::add).scan(Unpooled.copiedBuffer(two, StandardCharsets.US_ASCII));
    assertThat(found).containsExactly(1L, Long.MAX_VALUE);
  }
}
