package dev.weir.cache.block;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cache.CacheSlice;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** A store whose reads end when the test says so. Contents follow from the place. */
final class FakeSource implements BlockSource {
  final String name;
  final List<Call> calls = new ArrayList<>();

  /** Called within {@link #fetch}. */
  Consumer<Call> onFetch = call -> {};

  FakeSource(String name) {
    this.name = name;
  }

  final class Call implements Fetch {
    final String object;
    final long offset;
    final MemorySegment into;
    final CompletableFuture<Void> end = new CompletableFuture<>();
    int cancels;

    Call(String object, long offset, MemorySegment into) {
      this.object = object;
      this.offset = offset;
      this.into = into;
    }

    void succeed() {
      for (long i = 0; i < into.byteSize(); i += 512) {
        into.set(ValueLayout.JAVA_BYTE, i, at(name, object, offset + i));
      }
      end.complete(null);
    }

    void fail(Throwable failure) {
      into.fill((byte) 99);
      end.completeExceptionally(failure);
    }

    boolean isDone() {
      return end.isDone();
    }

    @Override
    public CompletionStage<?> ended() {
      return end;
    }

    @Override
    public void cancel() {
      cancels++;
    }
  }

  static byte at(String store, String object, long offset) {
    return (byte) (store.hashCode() * 7 + object.hashCode() * 31 + offset / 512 * 13);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Fetch fetch(String object, long offset, MemorySegment into) {
    Call call = new Call(object, offset, into);
    synchronized (calls) {
      calls.add(call);
    }
    onFetch.accept(call);
    return call;
  }

  List<Call> open() {
    return calls.stream().filter(call -> !call.isDone()).toList();
  }

  Call last() {
    return calls.getLast();
  }

  void verify(CacheSlice slice, String object, long offset) {
    for (long i = (512 - offset % 512) % 512; i < slice.byteSize(); i += 512) {
      assertThat(slice.segment().get(ValueLayout.JAVA_BYTE, i))
          .isEqualTo(at(name, object, offset + i));
    }
  }
}
