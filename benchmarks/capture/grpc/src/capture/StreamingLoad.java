package capture;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.grpc.testing.protobuf.SimpleRequest;
import io.grpc.testing.protobuf.SimpleResponse;
import io.grpc.testing.protobuf.SimpleServiceGrpc;
import java.util.Iterator;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Clients of the service over eight connections: 24 read streams, four of them slowly, eight
 * upload, and 16 talk. A call that fails ends the run.
 */
public final class StreamingLoad {
  private static final int CHANNELS = 8;
  private static final int READERS = 24;
  private static final int UPLOADERS = 8;
  private static final int TALKERS = 16;
  private static final String PIECE = "x".repeat(65_536);
  private static final AtomicLong MESSAGES = new AtomicLong();
  private static final AtomicReference<Throwable> FAILURE = new AtomicReference<>();

  private StreamingLoad() {}

  /** Arguments: the server's port, seconds. */
  public static void main(String[] args) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Long.parseLong(args[1]));
    ManagedChannel[] channels = new ManagedChannel[CHANNELS];
    for (int i = 0; i < CHANNELS; i++) {
      channels[i] =
          NettyChannelBuilder.forAddress("127.0.0.1", Integer.parseInt(args[0]))
              .usePlaintext()
              .maxInboundMessageSize(8 << 20)
              .build();
    }
    Thread[] clients = new Thread[READERS + UPLOADERS + TALKERS];
    for (int i = 0; i < clients.length; i++) {
      int number = i;
      ManagedChannel channel = channels[i % CHANNELS];
      clients[i] = Thread.ofVirtual().start(() -> client(number, channel, end));
    }
    for (Thread client : clients) {
      client.join();
    }
    for (ManagedChannel channel : channels) {
      channel.shutdownNow();
    }
    System.out.printf("%,d messages%n", MESSAGES.get());
    if (FAILURE.get() != null) {
      throw new IllegalStateException("a call failed", FAILURE.get());
    }
  }

  private static void client(int number, ManagedChannel channel, long end) {
    SplittableRandom random = new SplittableRandom(number);
    try {
      while (System.nanoTime() < end && FAILURE.get() == null) {
        if (number < READERS) {
          read(channel, random, /* isSlow= */ number % 6 == 0);
        } else if (number < READERS + UPLOADERS) {
          upload(channel, random);
        } else {
          talk(channel, random);
        }
      }
    } catch (Throwable failed) {
      FAILURE.compareAndSet(null, failed);
    }
  }

  /** Sixty-four messages; half are below 2 kB, one in a hundred is above 100 kB. */
  private static void read(ManagedChannel channel, SplittableRandom random, boolean isSlow)
      throws InterruptedException {
    StringBuilder sizes = new StringBuilder();
    for (int i = 0; i < 64; i++) {
      sizes.append(size(random, 2_000, 100_000, 4 << 20)).append(' ');
    }
    Iterator<SimpleResponse> answers =
        SimpleServiceGrpc.newBlockingStub(channel).serverStreamingRpc(request(sizes.toString()));
    while (answers.hasNext()) {
      answers.next();
      MESSAGES.incrementAndGet();
      if (isSlow) {
        Thread.sleep(5);
      }
    }
    Thread.sleep(20);
  }

  /** Twenty pieces of 64 KiB, one every 2 ms. */
  private static void upload(ManagedChannel channel, SplittableRandom random) throws Exception {
    Semaphore ended = new Semaphore(0);
    StreamObserver<SimpleRequest> pieces =
        SimpleServiceGrpc.newStub(channel)
            .clientStreamingRpc(new Answers(new Semaphore(0), ended));
    for (int i = 0; i < 20; i++) {
      pieces.onNext(request(PIECE));
      MESSAGES.incrementAndGet();
      Thread.sleep(2);
    }
    pieces.onCompleted();
    ended.acquire();
    Thread.sleep(50 + random.nextInt(100));
  }

  /** A hundred questions of 200 bytes, and answers of which half are below 300 bytes. */
  private static void talk(ManagedChannel channel, SplittableRandom random) throws Exception {
    Semaphore answers = new Semaphore(0);
    StreamObserver<SimpleRequest> questions =
        SimpleServiceGrpc.newStub(channel)
            .bidiStreamingRpc(new Answers(answers, new Semaphore(0)));
    for (int i = 0; i < 100; i++) {
      questions.onNext(request("%-200d".formatted(size(random, 300, 4_000, 64_000))));
      answers.acquire();
      MESSAGES.incrementAndGet();
      Thread.sleep(2);
    }
    questions.onCompleted();
  }

  private record Answers(Semaphore one, Semaphore all) implements StreamObserver<SimpleResponse> {
    @Override
    public void onNext(SimpleResponse answer) {
      one.release();
    }

    @Override
    public void onError(Throwable failed) {
      FAILURE.compareAndSet(null, failed);
      one.release(1_000);
      all.release();
    }

    @Override
    public void onCompleted() {
      all.release();
    }
  }

  private static SimpleRequest request(String text) {
    return SimpleRequest.newBuilder().setRequestMessage(text).build();
  }

  /** Log-normal: half below the median, one in a hundred above {@code top}. */
  private static int size(SplittableRandom random, int median, int top, int most) {
    double sigma = Math.log((double) top / median) / 2.326;
    return (int) Math.clamp(median * Math.exp(sigma * random.nextGaussian()), 16, most);
  }
}
