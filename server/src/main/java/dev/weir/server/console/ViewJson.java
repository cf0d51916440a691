package dev.weir.server.console;

import dev.weir.memory.view.PageMap;
import dev.weir.memory.view.PoolView;
import dev.weir.memory.view.SlabSum;
import dev.weir.memory.view.Waste;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A pool's view as JSON objects: names as in the view, bytes as numbers. Cells of the page map are
 * three bytes each, in base64: live, dirty, and the part of the live bytes that blocks take, where
 * 255 is all of it. What is there at all is at least 1.
 */
final class ViewJson {
  private static final int ALL = 255;

  private ViewJson() {}

  static Map<String, @Nullable Object> pool(
      PoolView view, BudgetRates rates, RoundingEstimates estimates) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("name", view.name());
    json.put("limitBytes", view.limitBytes());
    json.put("reservedBytes", view.reservedBytes());
    json.put("residentBytes", view.residentBytes());
    json.put("liveBytes", view.liveBytes());
    json.put("dirtyBytes", view.dirtyBytes());
    json.put("peakResidentBytes", view.peakResidentBytes());
    json.put("purgedBytes", view.purgedBytes());
    json.put("blocks", view.blocks());
    json.put("blockBytes", view.blockBytes());
    json.put("misuses", view.misuses());
    json.put("waste", waste(view.waste()));
    json.put(
        "classes",
        view.classes().stream()
            .map(of -> {
              Map<String, @Nullable Object> row = slabs(of.slabs());
              row.put("slotBytes", of.slotBytes());
              row.put("roundingAtMostBytes", of.roundingAtMostBytes());
              row.put(
                  "estimate",
                  BudgetJson.estimate(estimates.ofSize(of.slotBytes(), of.slabs().blockBytes())));
              return row;
            })
            .toList());
    json.put(
        "heaps",
        view.heaps().stream()
            .map(of -> {
              Map<String, @Nullable Object> row = slabs(of.slabs());
              row.put("owner", of.owner());
              return row;
            })
            .toList());
    json.put("budgets", new BudgetJson(rates, estimates).json(view.budgets()));
    json.put("pages", pages(view.pages()));
    return json;
  }

  private static Map<String, Object> waste(Waste waste) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("freeSlotBytes", waste.freeSlotBytes());
    json.put("uncommittedBytes", waste.uncommittedBytes());
    json.put("quarantinedBytes", waste.quarantinedBytes());
    json.put("hardeningBytes", waste.hardeningBytes());
    json.put("dirtyBytes", waste.dirtyBytes());
    json.put("roundingAtMostBytes", waste.roundingAtMostBytes());
    json.put("promisedBytes", waste.promisedBytes());
    json.put("growthAddressBytes", waste.growthAddressBytes());
    return json;
  }

  private static Map<String, @Nullable Object> slabs(SlabSum sum) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("slabs", sum.slabs());
    json.put("blocks", sum.blocks());
    json.put("blockBytes", sum.blockBytes());
    json.put("freeSlotBytes", sum.freeSlotBytes());
    json.put("uncommittedBytes", sum.uncommittedBytes());
    json.put("pageBytes", sum.pageBytes());
    return json;
  }

  /** A page map alone, as an object on one line. */
  static byte[] bytes(PageMap map) {
    return Json.bytes(Map.of("pages", pages(map)));
  }

  private static List<Map<String, Object>> pages(PageMap map) {
    return map.regions().stream().map(ViewJson::region).toList();
  }

  private static Map<String, Object> region(PageMap.Region region) {
    byte[] cells = new byte[3 * region.cells()];
    for (int cell = 0; cell < region.cells(); cell++) {
      cells[3 * cell] = share(region.liveBytes(cell), region.cellBytes());
      cells[3 * cell + 1] = share(region.dirtyBytes(cell), region.cellBytes());
      cells[3 * cell + 2] = share(region.blockBytes(cell), region.liveBytes(cell));
    }
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("name", region.name());
    json.put("reservedBytes", region.reservedBytes());
    json.put("extentBytes", region.extentBytes());
    json.put("fromBytes", region.fromBytes());
    json.put("cellBytes", region.cellBytes());
    json.put("cells", Base64.getEncoder().encodeToString(cells));
    return json;
  }

  private static byte share(long part, long whole) {
    return part <= 0 || whole <= 0 ? 0 : (byte) Math.clamp(part * ALL / whole, 1, ALL);
  }
}
