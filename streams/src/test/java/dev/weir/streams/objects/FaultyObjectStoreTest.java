package dev.weir.streams.objects;

import static dev.weir.streams.objects.Outcomes.await;
import static dev.weir.streams.objects.Outcomes.awaitEnd;
import static dev.weir.streams.objects.Outcomes.bytes;
import static dev.weir.streams.objects.Outcomes.put;
import static dev.weir.streams.objects.Outcomes.read;
import static dev.weir.streams.objects.Outcomes.target;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.streams.objects.FaultyObjectStore.Call;
import dev.weir.streams.objects.FaultyObjectStore.Fault;
import dev.weir.streams.objects.directory.DirectoryObjectStore;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract holds while nothing but delays goes wrong; each fault does what it says. */
class FaultyObjectStoreTest extends ObjectStoreContract {
  @Override
  protected ObjectStore open() throws Exception {
    FaultyObjectStore faulty =
        new FaultyObjectStore(DirectoryObjectStore.open(folder.resolve("objects")), 1);
    for (Call call : Call.values()) {
      faulty.chance(call, Fault.DELAY, 0.2);
    }
    return faulty;
  }

  private FaultyObjectStore faulty() {
    FaultyObjectStore faulty = (FaultyObjectStore) store;
    faulty.heal();
    return faulty;
  }

  @Test
  void anErrorDoesNothing() {
    faulty().next(Call.PUT, Fault.ERROR);

    assertThatThrownBy(() -> put(store, at + "a", bytes(1, 10), PutCondition.ifAbsent()))
        .isInstanceOf(ObjectStoreException.class);
    assertThatThrownBy(() -> read(store, at + "a", 0, 10))
        .isInstanceOf(NoSuchObjectException.class);
  }

  @Test
  void aLostAnswerHasDoneAll() throws Exception {
    faulty().next(Call.PUT, Fault.LOST_ANSWER).next(Call.PUT, Fault.FAILED_AFTER_SUCCESS);

    assertThatThrownBy(() -> put(store, at + "a", bytes(1, 10), PutCondition.ifAbsent()))
        .isInstanceOf(ObjectStoreException.class);
    assertThatThrownBy(() -> put(store, at + "b", bytes(2, 10), PutCondition.ifAbsent()))
        .isInstanceOf(PreconditionFailedException.class);
    assertThat(read(store, at + "a", 0, 10)).isEqualTo(bytes(1, 10));
    assertThat(read(store, at + "b", 0, 10)).isEqualTo(bytes(2, 10));
  }

  @Test
  void halfOfATargetIsRead() throws Exception {
    put(store, at + "a", bytes(1, 10), PutCondition.always());
    faulty().next(Call.READ, Fault.HALF_READ);
    MemorySegment target = target(10);

    assertThatThrownBy(() -> await(store.read(at + "a", null, 0, target)))
        .isInstanceOf(ObjectStoreException.class);
    assertThat(target.asSlice(0, 5).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(bytes(1, 5));
    assertThat(target.asSlice(5).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(new byte[5]);
  }

  @Test
  void whatHangsIsReleasedOrCancelled() throws Exception {
    put(store, at + "a", bytes(1, 10), PutCondition.always());
    FaultyObjectStore faulty = faulty().next(Call.HEAD, Fault.HANG).next(Call.HEAD, Fault.HANG);
    Request<ObjectInfo> first = store.head(at + "a");
    Request<ObjectInfo> second = store.head(at + "a");
    assertThat(faulty.hangingCalls()).isEqualTo(2);

    second.cancel();
    assertThat(second.done()).isCompletedExceptionally();
    faulty.release();

    assertThat(await(first).lengthBytes()).isEqualTo(10);
    assertThat(faulty.hangingCalls()).isZero();
  }

  @Test
  void aStoreThatIsGoneComesBack() throws Exception {
    FaultyObjectStore faulty = faulty();
    faulty.gone(true);
    assertThatThrownBy(() -> put(store, at + "a", bytes(1, 10), PutCondition.always()))
        .isInstanceOf(ObjectStoreException.class);
    faulty.gone(false);

    put(store, at + "a", bytes(1, 10), PutCondition.always());
    assertThat(faulty.calls(Call.PUT)).isEqualTo(2);
  }

  @Test
  void aSeedBringsTheSameFaults() throws Exception {
    List<List<Boolean>> runs = new ArrayList<>();
    for (int run = 0; run < 2; run++) {
      List<Boolean> failed = new ArrayList<>();
      try (FaultyObjectStore faulty =
          new FaultyObjectStore(DirectoryObjectStore.open(folder.resolve("seeded")), 7)) {
        faulty.chance(Call.LIST, Fault.ERROR, 0.5);
        for (int i = 0; i < 100; i++) {
          Request<ObjectPage> list = faulty.list("", null, 1);
          awaitEnd(list);
          failed.add(list.done().isCompletedExceptionally());
        }
      }
      runs.add(failed);
    }
    assertThat(runs.get(0)).isEqualTo(runs.get(1)).contains(true, false);
  }
}
