package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A payload that the store has taken over goes back once, also where no command comes of it. */
class LostCommandTest {
  @TempDir Path directory;
  private final AtomicInteger released = new AtomicInteger();
  private volatile boolean clockFails;

  private StreamStore open() throws IOException {
    return StreamStore.open(
        directory,
        new LocalDisk(),
        () -> {
          if (clockFails) {
            throw new OutOfMemoryError("made by the test");
          }
          return 0;
        });
  }

  private Payload payload() {
    return new Payload.Inline(ByteBuffer.wrap(new byte[3]), released::incrementAndGet);
  }

  @Test
  void theStoreIsClosed() throws IOException {
    StreamStore store = open();
    store.close();
    CompletableFuture<CreateOutcome> answer =
        store.create(CreateRequest.of("a", "text/plain"), payload());
    assertThat(answer).isCompletedExceptionally();
    assertThat(released).hasValue(1);
  }

  @Test
  void theStoreIsClosedAndTheBodyInAFile() throws IOException {
    StreamStore store = open();
    Spool spool = store.spool();
    spool.write(ByteBuffer.wrap(new byte[3]));
    Payload body = spool.finish();
    store.close();
    assertThat(store.create(CreateRequest.of("a", "text/plain"), body)).isCompletedExceptionally();
    assertThat(StoreFixture.spoolFiles(directory)).hasSize(1);
    open().close();
    assertThat(StoreFixture.spoolFiles(directory)).isEmpty();
  }

  @Test
  void theCommandIsLostBeforeItIsInABatch() throws IOException {
    try (StreamStore store = open()) {
      CreateRequest request = CreateRequest.of("a", "text/plain");
      store.create(request, new Payload.None()).join();
      clockFails = true;
      assertThatThrownBy(() -> store.create(request, payload()).join())
          .hasCauseInstanceOf(StoreFailedException.class);
      assertThat(released).hasValue(1);
      clockFails = false;
    }
  }
}
