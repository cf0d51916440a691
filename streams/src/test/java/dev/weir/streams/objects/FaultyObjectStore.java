package dev.weir.streams.objects;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Any store, with faults: the next calls of a kind as told, all others by chance with a seed. Also
 * counts calls. Closing it closes the store behind it.
 */
public final class FaultyObjectStore implements ObjectStore {
  /** What is called. */
  public enum Call {
    HEAD,
    READ,
    PUT,
    LIST,
    DELETE
  }

  /** What goes wrong. */
  public enum Fault {
    /** Nothing is done, and the answer is an error. */
    ERROR,
    /** All is done, and the answer is an error. */
    LOST_ANSWER,
    /** All is done, later. */
    DELAY,
    /** The first half of the target is read, then comes an error; other calls: {@link #ERROR}. */
    HALF_READ,
    /** A write is done, and its answer is that its condition fails; others: {@link #ERROR}. */
    FAILED_AFTER_SUCCESS,
    /** Nothing is done until {@link #release} or a cancel; a cancel ends it with an error. */
    HANG
  }

  private record Chance(Fault fault, double probability) {}

  private final ObjectStore store;
  private final Random random;
  private final Map<Call, Deque<Fault>> planned = new EnumMap<>(Call.class);
  private final Map<Call, List<Chance>> chances = new EnumMap<>(Call.class);
  private final Map<Call, Long> calls = new EnumMap<>(Call.class);
  private final List<Faulted<?>> hanging = new ArrayList<>();
  private final Set<Faulted<?>> delayed = ConcurrentHashMap.newKeySet();
  private boolean isGone;

  /** Without faults at first. */
  public FaultyObjectStore(ObjectStore store, long seed) {
    this.store = store;
    this.random = new Random(seed);
  }

  /** The next call of this kind that has no plan yet. */
  public synchronized FaultyObjectStore next(Call call, Fault fault) {
    planned.computeIfAbsent(call, kind -> new ArrayDeque<>()).add(fault);
    return this;
  }

  /** Each call of this kind from now on, with a probability; 0 ends it. */
  public synchronized FaultyObjectStore chance(Call call, Fault fault, double probability) {
    List<Chance> of = chances.computeIfAbsent(call, kind -> new ArrayList<>());
    of.removeIf(chance -> chance.fault() == fault);
    of.add(new Chance(fault, probability));
    return this;
  }

  /** From now on every call is an error, until it is back. */
  public synchronized void gone(boolean isGone) {
    this.isGone = isGone;
  }

  /** Ends all plans and chances, and lets go what hangs. */
  public void heal() {
    synchronized (this) {
      planned.clear();
      chances.clear();
      isGone = false;
    }
    release();
  }

  /** Lets go what hangs. */
  public void release() {
    List<Faulted<?>> released;
    synchronized (this) {
      released = List.copyOf(hanging);
      hanging.clear();
    }
    released.forEach(Faulted::begin);
  }

  /** How many calls hang. */
  public synchronized int hangingCalls() {
    return hanging.size();
  }

  /** How many calls there were, those with faults too. */
  public synchronized long calls(Call call) {
    return calls.getOrDefault(call, 0L);
  }

  /** Requests that S3 charges as writes: puts and listings. */
  public synchronized long writeCalls() {
    return calls(Call.PUT) + calls(Call.LIST);
  }

  @Override
  public String name() {
    return store.name();
  }

  @Override
  public Path localFile(String key) {
    return store.localFile(key);
  }

  @Override
  public Request<ObjectInfo> head(String key) {
    ObjectKeys.check(key);
    return call(Call.HEAD, key, () -> store.head(key), null);
  }

  @Override
  public Request<Void> read(String key, String ifMatch, long offset, MemorySegment target) {
    ObjectKeys.check(key);
    return call(
        Call.READ,
        key,
        () -> store.read(key, ifMatch, offset, target),
        () -> store.read(key, ifMatch, offset, target.asSlice(0, target.byteSize() / 2)));
  }

  @Override
  public Request<ObjectInfo> put(String key, ObjectContent content, PutCondition condition) {
    ObjectKeys.check(key);
    return call(Call.PUT, key, () -> store.put(key, content, condition), null);
  }

  @Override
  public Request<ObjectPage> list(String prefix, String startAfter, int maxKeys) {
    ObjectKeys.checkPrefix(prefix);
    ObjectKeys.checkMaxKeys(maxKeys);
    return call(Call.LIST, prefix, () -> store.list(prefix, startAfter, maxKeys), null);
  }

  @Override
  public Request<List<DeleteFailure>> delete(List<String> keys) {
    List<String> copy = ObjectKeys.check(keys);
    return call(Call.DELETE, copy.toString(), () -> store.delete(copy), null);
  }

  @Override
  public void close() {
    List<Faulted<?>> left;
    synchronized (this) {
      left = new ArrayList<>(hanging);
    }
    left.addAll(delayed);
    left.forEach(Faulted::cancel);
    store.close();
  }

  private <T> Request<T> call(
      Call call, String key, Supplier<Request<T>> whole, Supplier<Request<T>> half) {
    Fault fault;
    synchronized (this) {
      calls.merge(call, 1L, Long::sum);
      fault = isGone ? Fault.ERROR : pick(call);
    }
    if (fault == null) {
      return whole.get();
    }
    if (fault == Fault.FAILED_AFTER_SUCCESS && call != Call.PUT
        || fault == Fault.HALF_READ && half == null) {
      fault = Fault.ERROR;
    }
    ObjectStoreException error =
        fault == Fault.FAILED_AFTER_SUCCESS
            ? new PreconditionFailedException(name() + ": object " + key + " is its own hindrance")
            : new ObjectStoreException(
                "%s: %s of %s failed by a fault: %s".formatted(name(), call, key, fault), null);
    return switch (fault) {
      case ERROR -> new Faulted<T>(null, error).begin();
      case LOST_ANSWER, FAILED_AFTER_SUCCESS -> new Faulted<>(whole, error).begin();
      case HALF_READ -> new Faulted<>(half, error).begin();
      case DELAY -> {
        Faulted<T> request = new Faulted<>(whole, null);
        delayed.add(request);
        request.done().whenComplete((value, failure) -> delayed.remove(request));
        CompletableFuture.delayedExecutor(delayMillis(), TimeUnit.MILLISECONDS)
            .execute(request::begin);
        yield request;
      }
      case HANG -> {
        Faulted<T> request = new Faulted<>(whole, null);
        synchronized (this) {
          hanging.add(request);
        }
        yield request;
      }
    };
  }

  private Fault pick(Call call) {
    Deque<Fault> plan = planned.get(call);
    if (plan != null && !plan.isEmpty()) {
      return plan.poll();
    }
    for (Chance chance : chances.getOrDefault(call, List.of())) {
      if (random.nextDouble() < chance.probability()) {
        return chance.fault();
      }
    }
    return null;
  }

  private synchronized int delayMillis() {
    return 1 + random.nextInt(20);
  }

  /** A request that begins later, or ends otherwise than the store's. */
  private final class Faulted<T> implements Request<T> {
    private final Supplier<Request<T>> start;
    private final ObjectStoreException error;
    private final CompletableFuture<T> done = new CompletableFuture<>();
    private Request<T> begun;
    private boolean isOver;

    /**
     * @param start null: nothing is done
     * @param error null: the outcome is the store's
     */
    Faulted(Supplier<Request<T>> start, ObjectStoreException error) {
      this.start = start;
      this.error = error;
    }

    Faulted<T> begin() {
      Request<T> request = null;
      synchronized (this) {
        if (isOver) {
          return this;
        }
        isOver = true;
        if (start != null) {
          request = start.get();
          begun = request;
        }
      }
      if (request == null) {
        done.completeExceptionally(error);
      } else {
        request
            .done()
            .whenComplete((value, failure) -> {
              if (error != null) {
                done.completeExceptionally(error);
              } else if (failure != null) {
                done.completeExceptionally(failure);
              } else {
                done.complete(value);
              }
            });
      }
      return this;
    }

    @Override
    public CompletableFuture<T> done() {
      return done;
    }

    @Override
    public void cancel() {
      Request<T> request;
      synchronized (this) {
        request = begun;
        if (!isOver) {
          isOver = true;
          synchronized (FaultyObjectStore.this) {
            hanging.remove(this);
          }
        } else if (request == null) {
          return;
        }
      }
      if (request != null) {
        request.cancel();
      } else {
        done.completeExceptionally(new CancellationException("the request was cancelled"));
      }
    }
  }
}
