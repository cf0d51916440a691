package dev.weir.streams.objects.block;

import dev.weir.cache.block.BlockSource;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.Request;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletionStage;

/** Pages of objects, for {@link dev.weir.cache.block.BlockCache}: each fetch is one read. */
public record ObjectBlockSource(ObjectStore store) implements BlockSource {
  @Override
  public String name() {
    return store.name();
  }

  @Override
  public Fetch fetch(String object, long offset, MemorySegment into) {
    Request<?> read = store.read(object, null, offset, into);
    return new Fetch() {
      @Override
      public CompletionStage<?> ended() {
        return read.done();
      }

      @Override
      public void cancel() {
        read.cancel();
      }
    };
  }
}
