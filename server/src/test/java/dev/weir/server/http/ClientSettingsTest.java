package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientSettingsTest {
  @TempDir Path directory;

  /** What is in the table is Java heap of the node's, for as long as the connection lives. */
  @ParameterizedTest
  @CsvSource({"100, 100", "0, 0", "4096, 4096", "4097, 4096", "4294967295, 4096"})
  void answersAreCompressedByATableOfBoundedLength(long wantedBytes, long keptBytes)
      throws Exception {
    byte[] setting =
        ByteBuffer.allocate(6)
            .putShort((short) Http2CodecUtil.SETTINGS_HEADER_TABLE_SIZE)
            .putInt((int) wantedBytes)
            .array();
    try (EmbeddedNode node = new EmbeddedNode(directory)) {
      EmbeddedChannel channel = node.connect();
      node.send(channel, Http2Wire.preface(1 << 16));
      node.send(channel, Http2Wire.frame(Http2FrameTypes.SETTINGS, 0, 0, setting));
      node.run(channel);
      assertThat(
              channel
                  .pipeline()
                  .get(Http2FrameCodec.class)
                  .encoder()
                  .configuration()
                  .headersConfiguration()
                  .maxHeaderTableSize())
          .isEqualTo(keptBytes);
      assertThat(channel.isOpen()).isTrue();
      channel.finishAndReleaseAll();
    }
  }
}
