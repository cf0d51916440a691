package dev.weir.streams;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Decides when what was acknowledged is handed to the storage thread: one flush at a time. For the
 * committer's thread, between batches.
 *
 * <pre>
 * due, or asked for ─► new file of the WAL ─► freeze ─► {@link Storage} ─► WAL cut, answers
 * </pre>
 */
final class Flusher {
  /** The WAL also has what is no stream's byte: it is cut from this size on. */
  private static final long MAX_WAL_BYTES = 128 << 20;

  private static final System.Logger LOG = System.getLogger(Flusher.class.getName());

  private final Storage.Check check;
  private final JournalSeries journals;
  private final Unflushed unflushed;
  private final Storage storage;
  private final AtomicLong ids;
  private final long flushBytes;
  private List<CompletableFuture<Void>> waiting = new ArrayList<>();

  /**
   * Of one store.
   *
   * @param check fails where nothing may be stored now
   * @param flushBytes so many bytes of streams make a flush
   */
  Flusher(
      Storage.Check check,
      JournalSeries journals,
      Unflushed unflushed,
      Storage storage,
      AtomicLong ids,
      long flushBytes) {
    this.check = check;
    this.journals = journals;
    this.unflushed = unflushed;
    this.storage = storage;
    this.ids = ids;
    this.flushBytes = flushBytes;
  }

  /**
   * Has all flushed that was acknowledged so far.
   *
   * @param failure why nothing is flushed any more; null where it is
   */
  void request(CompletableFuture<Void> answer, @Nullable StoreFailedException failure) {
    if (failure != null) {
      answer.completeExceptionally(failure);
      return;
    }
    waiting.add(answer);
  }

  /**
   * Begins a flush where one is due and none under way.
   *
   * @throws StoreFailedException as {@link JournalSeries#rotate}
   */
  void flushIfDue() throws StoreFailedException {
    if (!storage.isIdle()) {
      return;
    }
    if (!waiting.isEmpty() && unflushed.isEmpty()) {
      takeWaiting().forEach(answer -> answer.complete(null));
    }
    boolean due =
        unflushed.isDue(flushBytes) || (journals.bytes() >= MAX_WAL_BYTES && !unflushed.isEmpty());
    if (!due && waiting.isEmpty()) {
      return;
    }
    try {
      check.run();
    } catch (IOException notNow) {
      LOG.log(System.Logger.Level.WARNING, "no flush now: {0}", notNow.getMessage());
      return;
    }
    journals.rotate();
    storage.flush(unflushed.freeze(journals.current().lastPosition(), ids.get()), takeWaiting());
  }

  private List<CompletableFuture<Void>> takeWaiting() {
    List<CompletableFuture<Void>> taken = waiting;
    waiting = new ArrayList<>();
    return taken;
  }

  /** Nothing is begun any more: those who wait are told. */
  void stop() {
    takeWaiting()
        .forEach(answer ->
            answer.completeExceptionally(new StoreFailedException("the store is closed")));
  }
}
