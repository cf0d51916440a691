package dev.weir.server.console;

import dev.weir.memory.Pool;
import dev.weir.memory.callback.FirstFailure;
import dev.weir.memory.profile.LeakWatch;
import dev.weir.memory.view.MapWindow;
import dev.weir.memory.view.PoolView;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Shows a pool to those who ask. One thread of its own looks at the pool, at most once in an
 * interval whatever the number of clients; everybody gets the same {@link Frame}. Thread-safe.
 */
public final class Console implements AutoCloseable {
  /** So many clients may watch at a time. */
  public static final int MAX_WATCHERS = 16;

  /** Five minutes at the usual interval. */
  private static final int SAMPLES = 600;

  /** For each region: 64 columns by 32 rows. */
  private static final int CELLS = 2048;

  /** Zoomed maps that may wait to be made. */
  private static final int MAX_WAITING_MAPS = 8;

  /** Profiles that may be made or sent at a time: a large one has some 500 KB. */
  private static final int MAX_ANSWERS = 8;

  /**
   * Frames that clients may hold while they are sent: beyond, everybody gets the newest of them. A
   * frame has some 50 KB.
   */
  private static final int MAX_FRAMES = 64;

  private final Pool pool;
  private final ByteBufAllocator frameMemory;
  private final Map<String, LongSupplier> nodeFigures;
  private final ConsoleAccess access;
  private final long intervalMillis;
  private final ScheduledThreadPoolExecutor thread;
  private final History history = new History(SAMPLES);
  private final List<Watcher> watchers = new CopyOnWriteArrayList<>();
  private final AtomicInteger watcherCount = new AtomicInteger();
  private final ProfileFeed profiles;
  private final BudgetRates rates = new BudgetRates();
  private final Semaphore answers = new Semaphore(MAX_ANSWERS);
  private final Semaphore waitingMaps = new Semaphore(MAX_WAITING_MAPS);

  /**
   * Frames that may still be held by somebody. The console's thread only. It has room for all that
   * there may be from the start: to add one allocates nothing, so none that was made is lost.
   */
  private final List<Frame> frames = new ArrayList<>(MAX_FRAMES);

  private final FirstFailure historyFailures = new FirstFailure("the console's history");
  private final FirstFailure frameFailures = new FirstFailure("the console's look at the pool");
  private final FirstFailure watcherFailures = new FirstFailure("a client of the console");
  private final FirstFailure leakFailures = new FirstFailure("the watch for leaks");

  private @Nullable Frame current;
  private @Nullable CompletableFuture<Frame> underWay;
  private long madeNanos;
  private boolean closed;

  private Console(
      Pool pool,
      ByteBufAllocator frameMemory,
      Map<String, LongSupplier> nodeFigures,
      ConsoleAccess access,
      long intervalMillis,
      LeakWatch leaks) {
    this.pool = pool;
    this.frameMemory = frameMemory;
    this.nodeFigures = new TreeMap<>(nodeFigures);
    this.access = access;
    this.intervalMillis = intervalMillis;
    this.profiles = new ProfileFeed(pool, leaks);
    this.thread =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("weir-console").factory());
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /** Somebody who watches. */
  @FunctionalInterface
  public interface Watcher {
    /**
     * A new frame; on the console's thread, must return at once. To keep it, take {@link
     * Frame#event}.
     */
    void show(Frame frame);
  }

  /**
   * Starts to look.
   *
   * @param nodeFigures further figures by name
   * @param intervalMillis how often watchers get a frame
   * @param leaks is kept up to date for as long as the console is open, whoever may look
   */
  public static Console start(
      Pool pool,
      Map<String, LongSupplier> nodeFigures,
      ConsoleAccess access,
      long intervalMillis,
      LeakWatch leaks) {
    return start(
        pool, UnpooledByteBufAllocator.DEFAULT, nodeFigures, access, intervalMillis, leaks);
  }

  static Console start(
      Pool pool,
      ByteBufAllocator frameMemory,
      Map<String, LongSupplier> nodeFigures,
      ConsoleAccess access,
      long intervalMillis,
      LeakWatch leaks) {
    Console console = new Console(pool, frameMemory, nodeFigures, access, intervalMillis, leaks);
    if (access != ConsoleAccess.OFF) {
      console.thread.scheduleAtFixedRate(
          console::tick, intervalMillis, intervalMillis, TimeUnit.MILLISECONDS);
    }
    if (console.profiles.isOn()) {
      long watchNanos = leaks.interval().toNanos();
      console.thread.scheduleAtFixedRate(
          console::watchLeaks, watchNanos, watchNanos, TimeUnit.NANOSECONDS);
    }
    return console;
  }

  /** Who may look. */
  public ConsoleAccess access() {
    return access;
  }

  /**
   * What the node holds: as it was less than an interval ago, or now.
   *
   * @return a frame that the caller releases; fails when the console is closed
   */
  public CompletableFuture<Frame> frame() {
    synchronized (this) {
      Frame fresh = current;
      if (fresh != null && System.nanoTime() - madeNanos < intervalMillis * 1_000_000) {
        fresh.retain();
        return CompletableFuture.completedFuture(fresh);
      }
      CompletableFuture<Frame> made = underWay;
      if (made == null) {
        made = new CompletableFuture<>();
        underWay = made;
        try {
          thread.execute(this::make);
        } catch (RejectedExecutionException closedNow) {
          underWay = null;
          return CompletableFuture.failedFuture(closedNow);
        }
      }
      // Runs before the next frame replaces this one: both happen on the console's thread.
      return made.thenApply(frame -> {
        frame.retain();
        return frame;
      });
    }
  }

  /**
   * A part of the page map as JSON.
   *
   * @return null if too many wait for theirs; fails when the console is closed
   */
  public @Nullable CompletableFuture<byte[]> pages(MapWindow window) {
    if (!waitingMaps.tryAcquire()) {
      return null;
    }
    return onThread(() -> ViewJson.bytes(pool.view(window).pages()))
        .whenComplete((bytes, failure) -> waitingMaps.release());
  }

  /** The last minutes as JSON; fails when the console is closed. */
  public CompletableFuture<byte[]> history() {
    return onThread(() -> Json.bytes(history.json(intervalMillis)));
  }

  /** Whether there is a profile of live memory. */
  public boolean hasProfile() {
    return profiles.isOn();
  }

  /** Takes one of the places for profiles; whoever has it calls {@link #endAnswer} once. */
  public boolean tryBeginAnswer() {
    return answers.tryAcquire();
  }

  /** Gives back what {@link #tryBeginAnswer} took. */
  public void endAnswer() {
    answers.release();
  }

  /** A profile that is a second old at most; fails when the console is closed. */
  public CompletableFuture<byte[]> profile(ProfileForm form, ProfileQuery query) {
    return onThread(() -> profiles.bytes(form, query));
  }

  private CompletableFuture<byte[]> onThread(Supplier<byte[]> answer) {
    CompletableFuture<byte[]> done = new CompletableFuture<>();
    try {
      thread.execute(() -> {
        try {
          done.complete(answer.get());
        } catch (Throwable e) {
          done.completeExceptionally(e);
        }
      });
    } catch (RejectedExecutionException closedNow) {
      done.completeExceptionally(closedNow);
    }
    return done;
  }

  /** Shows every frame to a watcher from now on; false if there are too many. */
  public boolean watch(Watcher watcher) {
    if (watcherCount.incrementAndGet() > MAX_WATCHERS) {
      watcherCount.decrementAndGet();
      return false;
    }
    watchers.add(watcher);
    return true;
  }

  /** Ends what {@link #watch} began. */
  public void leave(Watcher watcher) {
    if (watchers.remove(watcher)) {
      watcherCount.decrementAndGet();
    }
  }

  /** Throws nothing: that would end the ticks. */
  private void tick() {
    try {
      history.add(pool.residentBytes(), pool.liveBytes(), pool.limitBytes());
    } catch (Throwable e) {
      report(historyFailures, e);
    }
    try {
      Frame frame = watchers.isEmpty() ? null : make();
      if (frame != null) {
        watchers.forEach(watcher -> show(watcher, frame));
      }
    } catch (Throwable e) {
      report(frameFailures, e);
    }
  }

  private void show(Watcher watcher, Frame frame) {
    try {
      watcher.show(frame);
    } catch (Throwable e) {
      report(watcherFailures, e);
    }
  }

  private void watchLeaks() {
    try {
      profiles.watch();
    } catch (Throwable e) {
      report(leakFailures, e);
    }
  }

  /** On the console's thread. Whatever fails, those who asked are answered, and may ask again. */
  private @Nullable Frame make() {
    Frame built = null;
    Throwable failure = null;
    try {
      built = buildIfRoom();
    } catch (Throwable e) {
      failure = e;
      report(frameFailures, e);
    }
    return publish(built, failure);
  }

  /** On the console's thread. Null if clients hold as many frames as there may be. */
  @Nullable Frame buildIfRoom() {
    frames.removeIf(Frame::isGone);
    return frames.size() < MAX_FRAMES ? build() : null;
  }

  /**
   * Shows a frame to those who asked; on the console's thread. The console may be closed since it
   * was built.
   *
   * @param built is the console's from now on; null if there is no new one
   * @param failure why there is none, if something has failed
   * @return what they were shown, null if nothing
   */
  @Nullable Frame publish(@Nullable Frame built, @Nullable Throwable failure) {
    Frame made = null;
    CompletableFuture<Frame> asked;
    Frame replaced = null;
    synchronized (this) {
      asked = underWay;
      underWay = null;
      if (closed) {
        replaced = built;
      } else {
        if (built != null) {
          replaced = current;
          current = built;
        }
        made = failure == null ? current : null;
      }
      madeNanos = System.nanoTime();
    }
    if (asked != null && made != null) {
      asked.complete(made);
    } else if (asked != null) {
      asked.completeExceptionally(
          failure != null ? failure : new IllegalStateException("there is no frame"));
    }
    if (replaced != null) {
      replaced.release();
    }
    return made;
  }

  private Frame build() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("timeMillis", System.currentTimeMillis());
    json.put("intervalMillis", intervalMillis);
    Map<String, Object> node = new LinkedHashMap<>();
    nodeFigures.forEach((name, figure) -> node.put(name, figure.getAsLong()));
    json.put("node", node);
    PoolView view = pool.view(MapWindow.everything(CELLS));
    rates.look(view.budgets(), System.nanoTime());
    json.put("pool", ViewJson.pool(view, rates, profiles.estimates()));
    json.put("channels", Channels.json(pool.rootBudget()));
    if (profiles.isOn()) {
      json.put("profile", profiles.json());
    }
    Frame frame = Frame.of(frameMemory, Json.bytes(json));
    frames.add(frame);
    return frame;
  }

  /** What a closed console fails with is nobody's concern. Throws nothing. */
  private void report(FirstFailure failures, Throwable e) {
    if (!thread.isShutdown()) {
      failures.report(e);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
    CompletableFuture<Frame> asked;
    Frame last;
    synchronized (this) {
      closed = true;
      asked = underWay;
      underWay = null;
      last = current;
      current = null;
    }
    if (asked != null) {
      asked.completeExceptionally(new IllegalStateException("the console is closed"));
    }
    if (last != null) {
      last.release();
    }
  }
}
