package dev.weir.netty.write;

import static dev.weir.netty.write.TlsTalk.ANSWER_BYTES;
import static dev.weir.netty.write.TlsTalk.REQUEST_BYTES;
import static dev.weir.netty.write.TlsTalk.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.netty.TestCertificate;
import dev.weir.netty.http.Engine;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.ImmediateExecutor;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes between two channels over TLS, one of which has no memory for this allocation or that. */
class FailStopTlsTest {
  private static final int REQUESTS = 3;
  private static final int KEY_UPDATES = 100;

  private static TestCertificate certificate;

  @BeforeAll
  static void makeCertificate(@TempDir Path keys) throws Exception {
    certificate = TestCertificate.create(keys);
  }

  /** Records that come together: there is something to encrypt while the second is decrypted. */
  @ParameterizedTest
  @EnumSource(names = {"JDK", "BORINGSSL"})
  void aPeerGetsABeginningOfWhatWasWritten(Engine engine) throws Exception {
    for (int n = 1, failures = 0; ; n++, failures++) {
      try (TlsTalk talk = new TlsTalk(certificate, engine)) {
        for (int i = 0; i < REQUESTS; i++) {
          talk.client.writeAndFlush(numbers(0, REQUEST_BYTES));
        }
        talk.allocator.arm(n);
        talk.server.writeInbound(talk.sentByClient());
        talk.exchangeAll();
        if (talk.hasEndedWithoutFailure()) {
          assertThat(talk.receivedByClient()).isEqualTo(REQUESTS * ANSWER_BYTES);
          assertThat(failures).isGreaterThan(3);
          return;
        }
        assertThat(talk.receivedByClient()).isLessThanOrEqualTo(REQUESTS * ANSWER_BYTES);
      }
    }
  }

  @Test
  void nothingIsWrittenBehindAMessageThatCouldNotBeQueued() throws Exception {
    EmbeddedChannel channel = new EmbeddedChannel();
    boolean[] full = new boolean[1];
    channel
        .config()
        .setMessageSizeEstimator(() ->
            message -> {
              if (full[0]) {
                throw new InternalError("made by the test");
              }
              return 1;
            });
    SslContext context = Engine.JDK.server(certificate);
    FailStopTls.addTo(channel.pipeline(), context.newHandler(channel.alloc()));
    ByteBuf queued = numbers(0, 1);
    ByteBuf unqueued = numbers(1, 1);
    channel.write(queued);
    full[0] = true;
    ChannelFuture lost = channel.write(unqueued);
    full[0] = false;
    channel.runPendingTasks();
    assertThat(lost.cause()).isInstanceOf(InternalError.class);
    assertThat(channel.isOpen()).isFalse();
    assertThat(catchThrowable(channel::checkException)).isSameAs(lost.cause());
    channel.finishAndReleaseAll();
    assertThat(queued.refCnt()).isZero();
    assertThat(unqueued.refCnt()).isZero();
  }

  /** Records that come in parts, which are put together. */
  @ParameterizedTest
  @EnumSource(names = {"JDK", "BORINGSSL"})
  void handlersGetABeginningOfWhatHasCome(Engine engine) throws Exception {
    int sent = 50_000;
    for (int n = 1, failures = 0; ; n++, failures++) {
      try (TlsTalk talk = new TlsTalk(certificate, engine)) {
        talk.answering = false;
        talk.client.writeAndFlush(numbers(0, sent));
        ByteBuf records = talk.sentByClient();
        talk.allocator.arm(n);
        while (records.isReadable() && talk.server.isOpen()) {
          talk.server.writeInbound(
              records.readRetainedSlice(Math.min(1000, records.readableBytes())));
        }
        records.release();
        talk.exchangeAll();
        if (talk.hasEndedWithoutFailure()) {
          assertThat(talk.receivedByServer).isEqualTo(sent);
          assertThat(failures).isGreaterThan(3);
          return;
        }
        assertThat(talk.receivedByServer).isLessThanOrEqualTo(sent);
      }
    }
  }

  /** By TLS 1.2, while the client shakes hands once more; tasks of the engine here or elsewhere. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatIsWrittenDuringAnotherHandshakeIsWhole(boolean tasksElsewhere) throws Exception {
    for (int n = 1, failures = 0; ; n++, failures++) {
      Queue<Runnable> tasks = new ArrayDeque<>();
      Executor executor = tasksElsewhere ? tasks::add : ImmediateExecutor.INSTANCE;
      try (TlsTalk talk = new TlsTalk(certificate, Engine.JDK, "TLSv1.2", executor)) {
        talk.exchangeAll(tasks);
        talk.clientTls.renegotiate();
        ByteBuf hello = talk.sentByClient();
        talk.allocator.arm(n);
        talk.server.writeInbound(hello);
        // The server waits: for a task, or for the client.
        for (int at = 0; at < 3 * ANSWER_BYTES && talk.server.isOpen(); at += ANSWER_BYTES) {
          talk.server.write(numbers(at, ANSWER_BYTES));
        }
        talk.server.flush();
        talk.exchangeAll(tasks);
        if (talk.hasEndedWithoutFailure()) {
          assertThat(talk.receivedByClient()).isEqualTo(3 * ANSWER_BYTES);
          assertThat(failures).isGreaterThan(3);
          return;
        }
        assertThat(talk.receivedByClient()).isLessThanOrEqualTo(3 * ANSWER_BYTES);
      }
    }
  }

  /** By TLS 1.3, whether the answers are taken or not. */
  @ParameterizedTest
  @CsvSource({"JDK, false", "JDK, true", "BORINGSSL, false", "BORINGSSL, true"})
  void aFloodOfNewKeysIsCutOff(Engine engine, boolean taken) throws Exception {
    try (TlsTalk talk = new TlsTalk(certificate, engine)) {
      assertThat(talk.clientTls.engine().getSession().getProtocol()).isEqualTo("TLSv1.3");
      talk.holding = !taken;
      for (int i = 0; i < KEY_UPDATES && talk.server.isOpen(); i++) {
        talk.clientTls.renegotiate();
        talk.server.writeInbound(talk.sentByClient());
        assertThat(talk.pool.rootBudget().heapBytes()).isLessThan(300_000);
        talk.server.releaseOutbound();
      }
      talk.assertIsCutOff();
      assertThat(talk.pool.rootBudget().heapBytes()).isZero();
      talk.holding = false;
    }
  }

  /** By TLS 1.2, which BoringSSL ends at the first. */
  @Test
  void handshakesWithNothingInBetweenAreCutOff() throws Exception {
    try (TlsTalk talk =
        new TlsTalk(certificate, Engine.JDK, "TLSv1.2", ImmediateExecutor.INSTANCE)) {
      talk.exchangeAll();
      for (int i = 0; i < KEY_UPDATES && talk.server.isOpen(); i++) {
        talk.clientTls.renegotiate();
        talk.exchangeAll();
      }
      talk.assertIsCutOff();
    }
  }

  /** As many as a peer may ask for, each time; what the first handshake took does not count. */
  @ParameterizedTest
  @EnumSource(names = {"JDK", "BORINGSSL"})
  void newKeysThirtyTimesInARowAreNoFlood(Engine engine) throws Exception {
    try (TlsTalk talk = new TlsTalk(certificate, engine)) {
      for (int round = 1; round <= 3; round++) {
        for (int i = 0; i < 30; i++) {
          talk.clientTls.renegotiate();
          talk.exchangeAll();
        }
        talk.client.writeAndFlush(numbers(0, REQUEST_BYTES));
        talk.exchangeAll();
        assertThat(talk.receivedByClient()).isEqualTo(round * ANSWER_BYTES);
      }
      assertThat(talk.told).isEmpty();
    }
  }

  /** One that has nothing to say but wants new keys every hour. */
  @Test
  void newKeysLongAfterOneAnotherAreNoFlood() throws Exception {
    try (TlsTalk talk = new TlsTalk(certificate, Engine.JDK)) {
      talk.server.freezeTime();
      for (int i = 0; i < KEY_UPDATES; i++) {
        talk.server.advanceTimeBy(61, TimeUnit.SECONDS);
        talk.clientTls.renegotiate();
        talk.exchangeAll();
      }
      assertThat(talk.server.isOpen()).isTrue();
      assertThat(talk.told).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"JDK", "BORINGSSL"})
  void newKeysNowAndThenAreNoFlood(Engine engine) throws Exception {
    try (TlsTalk talk = new TlsTalk(certificate, engine)) {
      for (int i = 1; i <= KEY_UPDATES; i++) {
        talk.clientTls.renegotiate();
        talk.client.writeAndFlush(numbers(0, REQUEST_BYTES));
        talk.exchangeAll();
        assertThat(talk.receivedByClient()).isEqualTo(i * ANSWER_BYTES);
      }
      assertThat(talk.told).isEmpty();
    }
  }

  /**
   * A client that has been answered for long, and says nothing else; BoringSSL goes by what comes.
   */
  @Test
  void newKeysAmongWhatIsSentAreNoFlood() throws Exception {
    try (TlsTalk talk = new TlsTalk(certificate, Engine.JDK)) {
      for (int i = 0; i < KEY_UPDATES; i++) {
        talk.clientTls.renegotiate();
        talk.server.writeAndFlush(numbers(i * REQUEST_BYTES, REQUEST_BYTES));
        talk.exchangeAll();
        assertThat(talk.receivedByClient()).isEqualTo((i + 1) * REQUEST_BYTES);
      }
      assertThat(talk.told).isEmpty();
    }
  }

  @Test
  void whatIsWrittenBeforeTheHandshakeComesInOrder() throws Exception {
    try (TlsTalk talk =
        new TlsTalk(certificate, Engine.JDK, "TLSv1.3", ImmediateExecutor.INSTANCE)) {
      talk.server.write(numbers(0, 100));
      talk.server.writeAndFlush(numbers(100, 100));
      talk.server.write(numbers(200, 100));
      talk.exchangeAll();
      assertThat(talk.receivedByClient()).isEqualTo(300);
    }
  }

  @Test
  void whatIsNeverFlushedFailsWithTheEndOfTheChannel() throws Exception {
    try (TlsTalk talk = new TlsTalk(certificate, Engine.JDK)) {
      ByteBuf bytes = numbers(0, 100);
      ChannelFuture written = talk.server.write(bytes);
      assertThat(written.isDone()).isFalse();
      talk.server.close();
      talk.exchangeAll();
      assertThat(written.isDone()).isTrue();
      assertThat(written.isSuccess()).isFalse();
      assertThat(bytes.refCnt()).isZero();
      assertThat(talk.clientTls.sslCloseFuture().isSuccess()).isTrue();
    }
  }

  /** Nobody below catches what there was no Java heap for: what hands a message on, say. */
  @Test
  void aFlushThatEndsInTheMiddleIsTheEnd() throws Exception {
    try (TlsTalk talk = new TlsTalk(certificate, Engine.JDK)) {
      AtomicBoolean heapIsFull = new AtomicBoolean();
      OutOfMemoryError noHeap = new OutOfMemoryError("made by the test");
      ByteBuf lost = numbers(100, 100);
      List<ChannelFuture> closings = new ArrayList<>();
      talk.server.write(numbers(0, 100));
      talk.server.write("no bytes").addListener(failed -> closings.add(talk.server.close()));
      talk.server.write(
          lost,
          new DefaultChannelPromise(talk.server) {
            @Override
            public boolean isDone() {
              if (heapIsFull.get()) {
                throw noHeap;
              }
              return super.isDone();
            }
          });
      ChannelFuture behind = talk.server.write(numbers(200, 100));
      heapIsFull.set(true);
      talk.server.flush();
      assertThat(talk.server.isOpen()).isFalse();
      assertThat(talk.told).containsExactly(noHeap);
      assertThat(closings).hasSize(1).allMatch(ChannelFuture::isSuccess);
      assertThat(behind.isDone()).isTrue();
      assertThat(behind.isSuccess()).isFalse();
      talk.exchangeAll();
      assertThat(talk.receivedByClient()).isLessThanOrEqualTo(100);
      lost.release();
    }
  }

  /** Whoever released it by mistake harms the write of that one alone. */
  @Test
  void whatOthersHaveReleasedKeepsNothingElse() throws Exception {
    try (TlsTalk talk = new TlsTalk(certificate, Engine.JDK)) {
      List<ByteBuf> messages = new ArrayList<>();
      List<ChannelFuture> written = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        messages.add(numbers(i, 1));
        written.add(talk.server.write(messages.getLast()));
      }
      messages.get(0).release();
      messages.get(2).release();
      talk.server.close();
      talk.server.runPendingTasks();
      assertThat(written).allMatch(ChannelFuture::isDone).noneMatch(ChannelFuture::isSuccess);
      assertThat(messages).allMatch(message -> message.refCnt() == 0);
    }
  }

  /** A listener that closes in the middle of a flush means all that comes after it. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nothingIsSentThatIsWrittenBehindACloseInAFlush(boolean isVoid) throws Exception {
    try (TlsTalk talk = new TlsTalk(certificate, Engine.JDK)) {
      talk.server.write(numbers(0, 100));
      ByteBuf behind = numbers(100, 100);
      talk.server
          .write("no bytes")
          .addListener(failed -> {
            talk.server.close();
            ChannelPromise told = isVoid ? talk.server.voidPromise() : talk.server.newPromise();
            talk.server.writeAndFlush(behind, told);
            assertThat(isVoid || told.cause() instanceof ClosedChannelException).isTrue();
          });
      talk.server.flush();
      talk.server.runPendingTasks();
      talk.exchangeAll();
      assertThat(behind.refCnt()).isZero();
      assertThat(talk.receivedByClient()).isEqualTo(100);
      assertThat(talk.server.isOpen()).isFalse();
    }
  }
}
