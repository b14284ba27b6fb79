# Shows a folder of points in Blender: run it in the Scripting workspace of a saved file beside the folder.
# Every frame shows one file; the attributes velocity, id, species and state_… are there for geometry nodes.
import glob

import bpy
import numpy as np

FOLDER = "//points"
ROW = [("place", "<f4", 3), ("velocity", "<f4", 3), ("id", "<u4"), ("species", "u1")]

files = sorted(glob.glob(bpy.path.abspath(FOLDER) + "/tick_*.ply"))
mesh = bpy.data.meshes.new("flock")
bpy.context.collection.objects.link(bpy.data.objects.new("flock", mesh))


def show(scene, _=None):
    data = open(files[min(scene.frame_current, len(files) - 1)], "rb").read()
    end = data.index(b"end_header\n")
    states = [line.split()[2] for line in data[:end].decode().splitlines() if "float state_" in line]
    row = np.dtype(ROW + [(name, "<f4") for name in states])
    agents = np.frombuffer(data, row, offset=end + len("end_header\n"))
    mesh.clear_geometry()
    mesh.vertices.add(len(agents))
    mesh.vertices.foreach_set("co", agents["place"].ravel())
    velocity = mesh.attributes.new("velocity", "FLOAT_VECTOR", "POINT")
    velocity.data.foreach_set("vector", agents["velocity"].ravel())
    for name in ("id", "species"):
        mesh.attributes.new(name, "INT", "POINT").data.foreach_set("value", agents[name].astype("i4"))
    for name in states:
        mesh.attributes.new(name, "FLOAT", "POINT").data.foreach_set("value", agents[name].copy())
    mesh.update()


bpy.app.handlers.frame_change_pre.append(show)
show(bpy.context.scene)
