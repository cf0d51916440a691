package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.ChildJvm;
import dev.weir.netty.flow.ByteCountAdmission;
import dev.weir.netty.http.AggregatorOptions;
import dev.weir.netty.http.BudgetedHttpAggregator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages that meet a Java heap without any room, in a process of its own: they go back. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class FullJavaHeapTest {
  @Test
  void messagesGoBack() throws Exception {
    String output = ChildJvm.run(Crowded.class, List.of("-Xmx24m", "-Xms24m"));

    assertThat(output).contains("went back: 9 of 9");
  }

  /** The process. */
  static final class Crowded {
    private static volatile @Nullable Object filling;

    private Crowded() {}

    /** What becomes of one message, and what has to hold once there is room again. */
    private record Step(String name, ByteBuf message, Runnable use, BooleanSupplier then) {
      Step(String name, ByteBuf message, Runnable use) {
        this(name, message, use, () -> true);
      }
    }

    public static void main(String[] arguments) {
      // What is loaded for the first time when there is no room is lost for good: that is Java.
      Unwritten.release(message());
      goneBack(/* full= */ false);
      List<String> back = goneBack(/* full= */ true);
      System.out.println(back);
      System.out.println("went back: " + back.size() + " of " + steps().size());
      System.exit(0);
    }

    private static List<String> goneBack(boolean full) {
      List<String> names = new ArrayList<>();
      for (Step step : steps()) {
        if (full) {
          fill();
        }
        try {
          step.use().run();
        } catch (OutOfMemoryError e) {
          // What this is about.
        } finally {
          filling = null;
        }
        if (step.message().refCnt() == 0 && step.then().getAsBoolean()) {
          names.add(step.name());
        }
      }
      return names;
    }

    private static List<Step> steps() {
      List<Step> steps = new ArrayList<>();
      ByteBuf taken = message();
      steps.add(new Step("taken", taken, () -> Owned.of(taken).release()));
      ByteBuf held = message();
      DefaultHttpContent holder = new DefaultHttpContent(held);
      steps.add(new Step("held", held, () -> Owned.of(holder).release()));
      ByteBuf counted = message();
      SentMessage.CustomCounted custom = new SentMessage.CustomCounted(counted);
      steps.add(new Step("counted", counted, () -> Owned.of(custom).release()));
      ByteBuf chunk = message();
      MemoryInput input = new MemoryInput(chunk);
      steps.add(new Step("input", chunk, () -> Owned.of(input).release()));

      ByteBuf abandoned = message();
      OwnedWrite write = write(abandoned);
      steps.add(new Step("abandoned", abandoned, write::abandon));
      ByteBuf lost = message();
      OwnedWrite lostWrite = write(lost);
      steps.add(new Step("lost", lost, lostWrite::lose));
      ByteBuf late = message();
      EmbeddedChannel closed = new EmbeddedChannel();
      closed.close();
      OwnedWrite begun = new OwnedWrite(Owned.of(late), closed, closed.newPromise());
      steps.add(new Step("late", late, () -> begun.begin(closed, late, /* flush= */ true)));

      ByteBuf published = message();
      TakesAll outlet = new TakesAll();
      PublishedMessages messages = publishedMessages(outlet);
      steps.add(
          new Step(
              "published",
              published,
              () -> messages.onNext(published),
              () -> {
                messages.onComplete();
                return outlet.failed;
              }));

      steps.add(behindLostResponse());
      return steps;
    }

    /** The next response: the connection may be open still, since to close it takes Java heap. */
    private static Step behindLostResponse() {
      HoldsFirst wire = new HoldsFirst();
      EmbeddedChannel channel =
          new EmbeddedChannel(
              wire,
              new BudgetedHttpAggregator(
                  new ByteCountAdmission(1, UnpooledByteBufAllocator.DEFAULT),
                  AggregatorOptions.upTo(1)));
      FullHttpRequest request =
          new DefaultFullHttpRequest(
              HttpVersion.HTTP_1_1, HttpMethod.GET, "/", Unpooled.EMPTY_BUFFER);
      channel.writeInbound(request, request.retainedDuplicate());
      channel.<FullHttpRequest>readInbound().release();
      ChannelFuture first = channel.write(response(Unpooled.EMPTY_BUFFER));
      channel.runPendingTasks();
      channel.<FullHttpRequest>readInbound().release();
      ByteBuf content = message();
      FullHttpResponse next = response(content);
      ChannelPromise told = channel.newPromise();
      return new Step(
          "behind a lost response",
          content,
          () -> {
            try {
              wire.loseFirst();
            } finally {
              channel.write(next, told);
            }
          },
          () -> {
            ChannelFuture further = channel.writeAndFlush(response(Unpooled.EMPTY_BUFFER));
            channel.runPendingTasks();
            channel.pipeline().fireChannelReadComplete();
            channel.runPendingTasks();
            return further.cause() instanceof ClosedChannelException
                && !(channel.readOutbound() instanceof FullHttpResponse)
                && !channel.isOpen()
                && first.isDone();
          });
    }

    /** Keeps the first message, and loses it when it is told to. */
    private static final class HoldsFirst extends ChannelOutboundHandlerAdapter {
      private static final IOException LOST = new IOException("lost by the test");

      private @Nullable ChannelPromise first;

      @Override
      public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (first == null) {
          ReferenceCountUtil.release(message);
          first = promise;
        } else {
          ctx.write(message, promise);
        }
      }

      void loseFirst() {
        first.tryFailure(LOST);
      }
    }

    private static FullHttpResponse response(ByteBuf content) {
      return new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, content);
    }

    private static ByteBuf message() {
      return Unpooled.buffer(1).writeByte(1);
    }

    private static OwnedWrite write(ByteBuf message) {
      EmbeddedChannel channel = new EmbeddedChannel();
      return new OwnedWrite(Owned.of(message), channel, channel.newPromise());
    }

    /** Those of a publisher that was asked for one. */
    private static PublishedMessages publishedMessages(Outlet outlet) {
      PublishedMessages messages =
          new PublishedMessages(
              new EmbeddedChannel().eventLoop(),
              subscriber ->
                  subscriber.onSubscribe(
                      new Flow.Subscription() {
                        @Override
                        public void request(long count) {}

                        @Override
                        public void cancel() {}
                      }));
      messages.produce(outlet);
      return messages;
    }

    /** Until not even the smallest array has room. */
    private static void fill() {
      Object[] chain = null;
      for (int length = 1 << 16; length > 0; length >>= 1) {
        try {
          while (true) {
            Object[] next = new Object[length];
            next[0] = chain;
            chain = next;
            filling = next;
          }
        } catch (OutOfMemoryError e) {
          // Smaller pieces still fit.
        }
      }
    }
  }

  private static final class TakesAll implements Outlet {
    boolean failed;

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public ByteBufAllocator alloc() {
      return UnpooledByteBufAllocator.DEFAULT;
    }

    @Override
    public void write(Object message) {
      ReferenceCountUtil.release(message);
    }

    @Override
    public void complete() {}

    @Override
    public void fail(Throwable cause) {
      failed = true;
    }

    @Override
    public void resume() {}
  }
}
