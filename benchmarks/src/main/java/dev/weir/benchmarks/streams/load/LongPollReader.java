package dev.weir.benchmarks.streams.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A reader by long polls: it asks for the tail, and then waits at each offset that it is told. */
final class LongPollReader extends SimpleChannelInboundHandler<ByteBuf> {
  private static final String END_OF_HEAD = "\r\n\r\n";
  private static final String END_OF_CHUNKS = "\r\n0\r\n\r\n";
  private static final Pattern LENGTH = header("Content-Length", "\\d+");
  private static final Pattern OFFSET = header("Stream-Next-Offset", "[^\\r]+");

  private final Target target;
  private final Arrivals arrivals;
  private final NumberScan scan;
  private final StringBuilder answer = new StringBuilder();
  private boolean isWaiting;

  LongPollReader(Target target, Arrivals arrivals) {
    this.target = target;
    this.arrivals = arrivals;
    this.scan = new NumberScan(arrivals::arrived);
  }

  private static Pattern header(String name, String value) {
    return Pattern.compile(
        "\\r\\n%s: *(%s)\\r\\n".formatted(name, value), Pattern.CASE_INSENSITIVE);
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    send(context, "offset=now");
  }

  private void send(ChannelHandlerContext context, String query) {
    String request =
        "GET %s?%s HTTP/1.1\r\nHost: localhost\r\n\r\n".formatted(target.path(1), query);
    context.writeAndFlush(Unpooled.copiedBuffer(request, US_ASCII));
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, ByteBuf piece) throws IOException {
    if (isWaiting) {
      scan.scan(piece);
    }
    answer.append(piece.toString(US_ASCII));
    int head = answer.indexOf(END_OF_HEAD);
    if (head < 0 || !isWhole(head + END_OF_HEAD.length())) {
      return;
    }
    String fields = answer.substring(0, head + 2);
    Matcher offset = OFFSET.matcher(fields);
    if (!fields.startsWith("HTTP/1.1 20") || !offset.find()) {
      throw new IOException("a long poll was answered: " + fields);
    }
    answer.setLength(0);
    send(context, "offset=%s&live=long-poll".formatted(offset.group(1)));
    if (!isWaiting) {
      isWaiting = true;
      arrivals.started().countDown();
    }
  }

  private boolean isWhole(int bodyStart) {
    String fields = answer.substring(0, bodyStart);
    Matcher length = LENGTH.matcher(fields);
    if (length.find()) {
      return answer.length() - bodyStart >= Integer.parseInt(length.group(1));
    }
    return fields.startsWith("HTTP/1.1 204") || answer.indexOf(END_OF_CHUNKS, bodyStart - 2) >= 0;
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    context.close();
  }
}
