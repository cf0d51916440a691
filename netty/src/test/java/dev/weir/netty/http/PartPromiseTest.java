package dev.weir.netty.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelProgressiveFuture;
import io.netty.channel.ChannelProgressiveFutureListener;
import io.netty.channel.ChannelProgressivePromise;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who hears in which order of what becomes of a part. */
class PartPromiseTest {
  private static final IOException LOST = new IOException("lost by the test");

  private final List<String> heard = new ArrayList<>();
  private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
  private final ChannelHandlerContext ctx = channel.pipeline().firstContext();

  private final PartPromise.Watcher watcher =
      new PartPromise.Watcher() {
        @Override
        public void failing() {
          heard.add("failing");
        }

        @Override
        public void done(PartPromise part) {
          heard.add("done");
        }
      };

  private PartPromise partOf(ChannelPromise writer) {
    return new PartPromise(ctx, writer, watcher);
  }

  private ChannelPromise writer() {
    ChannelPromise writer = channel.newPromise();
    writer.addListener(told -> heard.add(told.isSuccess() ? "sent" : "lost"));
    return writer;
  }

  @Test
  void theWatcherHearsBeforeAListenerThatWasThereBefore() {
    ChannelPromise writer = writer();
    PartPromise part = partOf(writer);
    part.addListener(told -> heard.add("nearer to the wire"));
    part.written(false);
    assertThat(part.tryFailure(LOST)).isTrue();
    assertThat(heard).containsExactly("failing", "nearer to the wire", "done", "lost");
    assertThat(writer.cause()).isSameAs(LOST);
    assertThat(part.tryFailure(LOST)).isFalse();
    assertThat(part.trySuccess()).isFalse();
    assertThat(heard).hasSize(4);
  }

  @Test
  void theWriterHearsOfALossInTheMiddleOfTheWriteWhenThatIsOver() {
    PartPromise part = partOf(writer());
    part.setFailure(LOST);
    assertThat(heard).containsExactly("failing");
    part.written(true);
    assertThat(heard).containsExactly("failing", "lost");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void bothHearOnceThatItHasBeenSent(boolean withinTheWrite) {
    PartPromise part = partOf(writer());
    if (withinTheWrite) {
      part.setSuccess();
      assertThat(heard).as("at once, or what is written meanwhile would be first").hasSize(2);
      part.written(false);
    } else {
      part.written(false);
      part.setSuccess();
    }
    assertThat(heard).containsExactly("done", "sent");
    assertThatThrownBy(() -> part.setFailure(LOST)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(part::setSuccess).isInstanceOf(IllegalStateException.class);
    assertThat(heard).hasSize(2);
  }

  @Test
  void anotherThreadMayCompleteItInTheMiddleOfTheWrite() throws InterruptedException {
    for (int i = 0; i < 1_000; i++) {
      heard.clear();
      ChannelPromise writer = channel.newPromise();
      PartPromise part = partOf(writer);
      CountDownLatch ready = new CountDownLatch(1);
      Thread other =
          Thread.ofPlatform()
              .start(() -> {
                ready.countDown();
                part.trySuccess();
              });
      ready.await();
      part.written(false);
      other.join();
      assertThat(heard).containsExactly("done");
      assertThat(writer.isSuccess()).isTrue();
    }
  }

  /** Whoever has written the last response may say so first. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theChannelClosesBehindTheWriter(boolean isToldBefore) {
    ChannelPromise writer = channel.newPromise();
    writer.addListener(told -> heard.add(channel.isOpen() ? "open" : "closed"));
    PartPromise part = partOf(writer);
    part.written(false);
    if (isToldBefore) {
      part.setSuccess();
      part.closeWhenTold();
    } else {
      part.closeWhenTold();
      assertThat(channel.isOpen()).isTrue();
      part.setSuccess();
    }
    assertThat(heard).containsExactly("done", "open");
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void neitherTheWatchersNorTheWritersPromiseCanBeCancelled() {
    ChannelPromise writer = writer();
    PartPromise part = partOf(writer);
    assertThat(part.cancel(false)).isFalse();
    assertThat(writer.cancel(false)).isFalse();
  }

  /** Somebody has cancelled it on another thread, meanwhile: the part is sent all the same. */
  @Test
  void aWriterThatHasCancelledIsNotTold() {
    ChannelPromise writer = writer();
    writer.cancel(false);
    PartPromise part = partOf(writer);
    part.written(false);
    part.setSuccess();
    assertThat(heard).containsExactly("lost", "done");
  }

  /** As its own listener would be. */
  @Test
  void thePipelineHearsOfALossThatAVoidPromiseIsFor() {
    PartPromise part = partOf(channel.voidPromise());
    part.written(false);
    part.setFailure(LOST);
    assertThatThrownBy(channel::checkException).isSameAs(LOST);
    assertThat(heard).containsExactly("failing", "done");
  }

  @Test
  void theWriterHearsOfProgress() {
    ChannelProgressivePromise writer = channel.newProgressivePromise();
    writer.addListener(
        new ChannelProgressiveFutureListener() {
          @Override
          public void operationProgressed(ChannelProgressiveFuture part, long done, long total) {
            heard.add(done + " of " + total);
          }

          @Override
          public void operationComplete(ChannelProgressiveFuture part) {
            heard.add("complete");
          }
        });
    PartPromise part = partOf(writer);
    part.written(false);
    assertThat(part.tryProgress(1, 3)).isTrue();
    part.setProgress(2, 3);
    part.setSuccess();
    assertThat(part.tryProgress(3, 3)).isFalse();
    assertThat(heard).containsExactly("1 of 3", "2 of 3", "done", "complete");
  }
}
