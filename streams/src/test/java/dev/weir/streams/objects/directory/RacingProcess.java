package dev.weir.streams.objects.directory;

import static dev.weir.streams.objects.Outcomes.await;
import static dev.weir.streams.objects.Outcomes.bytes;
import static dev.weir.streams.objects.Outcomes.put;

import dev.weir.streams.objects.NoSuchObjectException;
import dev.weir.streams.objects.ObjectInfo;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.PreconditionFailedException;
import dev.weir.streams.objects.PutCondition;
import java.nio.file.Path;

/** Writes keys that others write too, says how often it was first, and lengthens one 25 times. */
final class RacingProcess {
  private RacingProcess() {}

  public static void main(String[] arguments) throws Exception {
    int wins = 0;
    try (ObjectStore store = DirectoryObjectStore.open(Path.of(arguments[0]))) {
      String at = arguments[1];
      for (int i = 0; i < Integer.parseInt(arguments[2]); i++) {
        try {
          put(store, at + "key" + i, bytes(i, 100), PutCondition.ifAbsent());
          wins++;
        } catch (PreconditionFailedException e) {
          // Another was first.
        }
      }
      for (int i = 0; i < 25; ) {
        try {
          lengthen(store, at + "counter");
          i++;
        } catch (PreconditionFailedException e) {
          // Another was first: once more.
        }
      }
    }
    System.out.println(wins);
  }

  private static void lengthen(ObjectStore store, String key) throws Exception {
    ObjectInfo before;
    try {
      before = await(store.head(key));
    } catch (NoSuchObjectException e) {
      put(store, key, new byte[1], PutCondition.ifAbsent());
      return;
    }
    put(store, key, new byte[(int) before.lengthBytes() + 1], PutCondition.ifMatch(before.etag()));
  }
}
