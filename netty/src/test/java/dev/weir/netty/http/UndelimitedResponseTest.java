package dev.weir.netty.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.netty.Loopback;
import dev.weir.netty.TestCertificate;
import dev.weir.netty.flow.ByteCountAdmission;
import dev.weir.netty.write.UnbrokenTls;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslContext;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A body without a length, as clients of HTTP/1.0 get it, ends with its connection: where a part of
 * it is lost the connection is reset, for what the client has got is not to seem whole.
 */
class UndelimitedResponseTest {
  private static TestCertificate certificate;

  @BeforeAll
  static void makeCertificate(@TempDir Path keys) throws Exception {
    certificate = TestCertificate.create(keys);
  }

  static Stream<Wire> wires() {
    return Wire.all().filter(wire -> !wire.http2());
  }

  @ParameterizedTest
  @MethodSource("wires")
  void itsConnectionIsReset(Wire wire) throws Exception {
    EventLoopGroup loops = wire.transport().newLoops(1);
    SslContext tls = wire.engine().server(certificate);
    Channel listener =
        Loopback.listen(
            wire.transport(),
            loops,
            UnpooledByteBufAllocator.DEFAULT,
            channel -> setUp(channel, tls));
    try (Socket plain = new Socket()) {
      plain.connect((InetSocketAddress) listener.localAddress());
      Socket client = tls == null ? plain : certificate.secure(plain);
      client.getOutputStream().write("GET / HTTP/1.0\r\n\r\n".getBytes(US_ASCII));
      ByteArrayOutputStream received = new ByteArrayOutputStream();
      Throwable end = catchThrowable(() -> readAll(client.getInputStream(), received));
      assertThat(end).isInstanceOf(IOException.class);
      assertThat(received.toString(US_ASCII))
          .startsWith("HTTP/1.0 200 OK")
          .endsWith("\r\n\r\npart");
    } finally {
      listener.close().sync();
      loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
      ReferenceCountUtil.release(tls);
    }
  }

  private static void readAll(InputStream in, ByteArrayOutputStream into) throws IOException {
    for (int next = in.read(); next >= 0; next = in.read()) {
      into.write(next);
    }
  }

  private static void setUp(Channel channel, SslContext tls) {
    ChannelPipeline pipeline = channel.pipeline();
    if (tls != null) {
      UnbrokenTls.addTo(pipeline, tls.newHandler(channel.alloc()));
    }
    pipeline.addLast(
        new HttpServerCodec(),
        new BudgetedHttpAggregator(
            new ByteCountAdmission(1_000, UnpooledByteBufAllocator.DEFAULT),
            AggregatorOptions.upTo(1_000)),
        new Responder());
  }

  /** Has a client get a part, then loses one. */
  private static final class Responder extends SimpleChannelInboundHandler<FullHttpRequest> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
      ctx.write(new DefaultHttpResponse(HttpVersion.HTTP_1_0, HttpResponseStatus.OK));
      writePart(ctx)
          .addListener(sent -> {
            ctx.pipeline().addAfter("HttpServerCodec#0", "loses", new Loses(HttpContent.class));
            writePart(ctx);
          });
    }

    private static ChannelFuture writePart(ChannelHandlerContext ctx) {
      return ctx.writeAndFlush(new DefaultHttpContent(Unpooled.copiedBuffer("part", US_ASCII)));
    }
  }
}
