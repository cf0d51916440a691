package dev.weir.compression.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.compression.FuzzedCompression;
import dev.weir.compression.ZstdBlocks;
import dev.weir.netty.flow.WeirAdmission;
import dev.weir.netty.http.AggregatorOptions;
import dev.weir.netty.http.BudgetedHttpAggregator;
import dev.weir.stress.FuzzedService;
import dev.weir.stress.Mutations;
import io.netty.handler.codec.http.HttpServerCodec;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The first byte says which coding a request's body claims to be in, the second into what packets
 * it is cut, the third how it is framed, whether it ends and whether there is memory; the rest is
 * the body. It goes through a decompressor to an aggregator behind it: whatever it is, it arrives
 * whole, the same in small packets as at once, or is refused with an answer; nothing is thrown, and
 * nothing is held at the end.
 */
class RequestDecompressionFuzzTest {
  private static final String[] CODINGS = {"zstd", "br", "gzip", "lzma", "gzip, zstd", "identity"};
  private static final int CHUNKED = 1;
  private static final int ENDS_EARLY = 2;
  private static final int NO_MEMORY = 4;
  private static final int MANUAL_READS = 8;
  private static final int HEAD_BYTES = 3;
  private static final int MAXIMUM_BYTES = 64 << 10;

  @FuzzTest
  void fuzz(byte[] input) {
    if (input.length < HEAD_BYTES) {
      return;
    }
    String coding = CODINGS[(input[0] & 0xff) % CODINGS.length];
    byte[] body = Arrays.copyOfRange(input, HEAD_BYTES, input.length);
    Outcome atOnce = send(coding, body, Math.max(1, body.length), input[2]);
    Outcome inPackets = send(coding, body, 1 + (input[1] & 0x3f), input[2]);
    // Damage behind what is looked at may be found early or not at all.
    if (!coding.equals("zstd") || !ZstdBlocks.hasEmptyCompressed(body)) {
      assertThat(inPackets.seen()).isEqualTo(atOnce.seen());
    }
  }

  /** What has reached the application, and what the client has got. */
  private record Outcome(List<String> seen, String answers) {}

  private static Outcome send(String coding, byte[] body, int packetBytes, int how) {
    FuzzedService service =
        new FuzzedService(
            FuzzedCompression.ALLOCATOR,
            MAXIMUM_BYTES,
            new HttpServerCodec(),
            new HttpRequestDecompressor(
                (how & NO_MEMORY) == 0 ? FuzzedCompression.ROOMY : FuzzedCompression.WITHOUT_MEMORY,
                RequestOptions.upTo(MAXIMUM_BYTES)),
            new BudgetedHttpAggregator(
                new WeirAdmission(FuzzedCompression.ALLOCATOR),
                AggregatorOptions.upTo(MAXIMUM_BYTES)));
    if ((how & MANUAL_READS) != 0) {
      service.readManually();
    }
    service.deliver(head(coding, body, how).getBytes(US_ASCII));
    for (byte[] packet : Mutations.pieces(body, 0, packetBytes)) {
      service.deliver(framed(packet, how));
    }
    boolean whole = (how & ENDS_EARLY) == 0;
    if (!whole) {
      service.endInput();
    } else if ((how & CHUNKED) != 0) {
      service.deliver("0\r\n\r\n".getBytes(US_ASCII));
    }
    // A refusal gives its client a moment to read it.
    service.passTime();
    service.close();
    if (whole) {
      assertThat(service.answers()).as("an answer").startsWith("HTTP/1.1 ");
    }
    FuzzedCompression.assertNothingHeld();
    return new Outcome(service.seen(), service.answers());
  }

  private static String head(String coding, byte[] body, int how) {
    int length = body.length + ((how & ENDS_EARLY) == 0 ? 0 : 1);
    return "POST / HTTP/1.1\r\nHost: weir\r\nContent-Encoding: "
        + coding
        + ((how & CHUNKED) == 0
            ? "\r\nContent-Length: " + length
            : "\r\nTransfer-Encoding: chunked")
        + "\r\n\r\n";
  }

  private static byte[] framed(byte[] packet, int how) {
    if ((how & CHUNKED) == 0) {
      return packet;
    }
    ByteArrayOutputStream chunk = new ByteArrayOutputStream();
    chunk.writeBytes((Integer.toHexString(packet.length) + "\r\n").getBytes(US_ASCII));
    chunk.writeBytes(packet);
    chunk.writeBytes("\r\n".getBytes(US_ASCII));
    return chunk.toByteArray();
  }

  @Test
  void changedSeeds() throws Exception {
    Mutations.run(getClass(), this::fuzz);
  }
}
